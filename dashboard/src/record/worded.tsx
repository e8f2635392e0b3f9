import { Fragment } from "preact";
import { partInstants } from "../../../shared/explain/instants.ts";
import { Time } from "../ui/time.tsx";

/** A message of the edge, with the instants in it in the viewer's zone. */
export function Worded({ text }: { text: string }) {
  return (
    <>
      {partInstants(text).map((part, index) => (
        // The parts of one text: there is nothing else to tell them by.
        <Fragment key={`${index}`}>{typeof part === "string" ? part : <Time at={part.at} />}</Fragment>
      ))}
    </>
  );
}
