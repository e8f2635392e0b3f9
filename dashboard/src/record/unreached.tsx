import type { RecordDetail } from "../../../shared/model/record-detail.ts";
import { useView } from "../api/store.ts";
import { ErrorNote } from "../ui/states.tsx";
import { unreachedOf } from "./facts.ts";

/** That what is decided does not get to a cluster of this record: what the page says of DNS may not be so there. */
export function Unreached({ record }: { record: RecordDetail }) {
  const clusters = useView((view) => view.overview?.clusters);
  const names = unreachedOf(record, clusters ?? []);
  if (names.length === 0) return null;
  const are = names.length === 1 ? "is" : "are";
  return (
    <ErrorNote title={`${names.join(", ")} ${are} unreachable`}>
      What was decided since does not get through, so that DNS may not be as this page says.{" "}
      <a href="/clusters">Clusters</a> has since when, and why.
    </ErrorNote>
  );
}
