import { useEffect, useMemo, useState } from "preact/hooks";
import type { Overview, RecordSummary } from "../../../shared/model/overview.ts";
import type { Region } from "../../../shared/model/region.ts";
import { westToEast } from "../regions/places.ts";
import { EmptyNote } from "../ui/states.tsx";
import { type Filter, filterRecords } from "./filter.ts";
import { RecordRow } from "./row.tsx";

/** Rows that are drawn at once: more than a screen shows. The others follow, some with each frame. */
const FIRST = 40;
const EACH_FRAME = 120;
/** Up to as many regions have room for their names beside each other. */
const FEW_REGIONS = 4;

interface Props {
  overview: Overview;
  filter: Filter;
  onReset: () => void;
}

/** The records that the filter lets through, one row each, with a column for each region. */
export function Records({ overview, filter, onReset }: Props) {
  const records = useMemo(() => filterRecords(overview.records, filter), [overview.records, filter]);
  const regions = useColumns(overview);
  const shown = useGrowing(records.length, filter);
  const setColumns = (list: HTMLElement | null) => list?.style.setProperty("--columns", `${regions.length}`);
  if (records.length === 0)
    return (
      <EmptyNote title="No record fits the filter">
        <p>
          <button type="button" onClick={onReset}>
            Show all {overview.records.length}
          </button>
        </p>
      </EmptyNote>
    );
  return (
    <section
      class={`card records ${regions.length <= FEW_REGIONS ? "few-regions" : "many-regions"}`}
      aria-label="Records"
      ref={setColumns}
    >
      <div class="record-columns" aria-hidden="true">
        <span>State</span>
        <span>Record and addresses</span>
        <span class="strip">
          {regions.map((region) => (
            <span key={region} class="region-name">
              <span>{region}</span>
            </span>
          ))}
        </span>
      </div>
      <ul>
        {records.slice(0, shown).map((record) => (
          <Row key={record.rootHost} record={record} regions={regions} />
        ))}
      </ul>
      <p class="visually-hidden" role="status">
        {records.length === overview.records.length
          ? `${records.length} records`
          : `${records.length} of ${overview.records.length} records fit the filter`}
      </p>
    </section>
  );
}

/** Drawn again only when its record is another. */
function Row({ record, regions }: { record: RecordSummary; regions: readonly Region[] }) {
  return useMemo(() => <RecordRow record={record} regions={regions} />, [record, regions]);
}

/** The same list for as long as the regions are the same, since all rows hang on it. */
function useColumns({ regions }: Overview): readonly Region[] {
  const names = westToEast(regions).map(({ region }) => region);
  return useMemo(() => names, [names.join()]);
}

/** How many of a list to draw: those that are seen at once, then more with each frame until all are there. */
function useGrowing(total: number, restart: unknown): number {
  const [grown, setGrown] = useState({ restart, count: FIRST });
  const count = grown.restart === restart ? grown.count : FIRST;
  useEffect(() => {
    if (count >= total) return;
    const frame = requestAnimationFrame(() => setGrown({ restart, count: count + EACH_FRAME }));
    return () => cancelAnimationFrame(frame);
  }, [count, total, restart]);
  return count;
}
