import { Component, type ComponentChildren, type ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ErrorNote, Skeleton } from "./states.tsx";

const AGAIN_EVERY_MS = 5_000;

const ahead: (() => Promise<void>)[] = [];

/** A component whose code is loaded on first render, or by {@link loadAhead}. */
export function lazy<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  let loaded: ComponentType<Props> | undefined;
  const ensure = async () => {
    loaded ??= (await load()).default;
  };
  ahead.push(ensure);
  return function Lazy(props: Props) {
    const [Page, setPage] = useState<ComponentType<Props> | undefined>(() => loaded);
    const [failed, setFailed] = useState(false);
    useEffect(() => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      let isGone = false;
      const attempt = async () => {
        try {
          await ensure();
          if (!isGone) setPage(() => loaded);
        } catch {
          if (isGone) return;
          setFailed(true);
          timer = setTimeout(() => void attempt(), AGAIN_EVERY_MS);
        }
      };
      if (loaded === undefined) void attempt();
      return () => {
        isGone = true;
        clearTimeout(timer);
      };
    }, []);
    if (Page !== undefined) return <Page {...props} />;
    if (!failed) return <Skeleton label="Loading" />;
    return (
      <ErrorNote title="This part of the page could not be loaded">
        It is tried again every 5 seconds. Should that not help while the edge answers, reload the page: a new version
        may have been deployed meanwhile.
      </ErrorNote>
    );
  };
}

/**
 * Loads the code of all pages, one after the other, so that navigation works while the edge is unreachable. A page that
 * fails is loaded when it is shown.
 */
export async function loadAhead(): Promise<void> {
  for (const ensure of ahead) await ensure().catch(() => {});
}

/** An error boundary. A new `key` tries again. */
export class Boundary extends Component<{ children: ComponentChildren }, { isBroken: boolean }> {
  override state = { isBroken: false };

  static override getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render({ children }: { children: ComponentChildren }) {
    if (!this.state.isBroken) return children;
    return (
      <>
        <h1 class="visually-hidden">This page cannot be shown</h1>
        <ErrorNote title="This page cannot be shown">
          <p>
            What the edge answered is not what this page knows: another version may have been deployed. DNS goes on with
            what was last decided.
          </p>
          <p>
            <button type="button" onClick={() => location.reload()}>
              Reload
            </button>
          </p>
        </ErrorNote>
      </>
    );
  }
}
