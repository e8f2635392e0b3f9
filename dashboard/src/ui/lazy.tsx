import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ErrorNote, Skeleton } from "./states.tsx";

/** A component whose code is loaded when it is first shown. */
export function lazy<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [Page, setPage] = useState<ComponentType<Props> | undefined>(() => loaded);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then(
        (module) => {
          loaded = module.default;
          setPage(() => loaded);
        },
        () => setFailed(true),
      );
    }, []);
    if (failed)
      return (
        <ErrorNote title="This part of the page could not be loaded">
          Reload it: a new version may have been deployed meanwhile.
        </ErrorNote>
      );
    return Page === undefined ? <Skeleton label="Loading" /> : <Page {...props} />;
  };
}
