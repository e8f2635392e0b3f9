import type { VNode } from "preact";
import { useEffect, useMemo, useReducer, useRef } from "preact/hooks";
import type { Overview, RecordSummary } from "../../../shared/model/overview.ts";
import type { Region } from "../../../shared/model/region.ts";
import { westToEast } from "../regions/places.ts";
import { EmptyNote } from "../ui/states.tsx";
import { type Filter, filterRecords } from "./filter.ts";
import { RecordRow } from "./row.tsx";

/** Rows added with each frame: more than a screen shows, and few enough to keep the page responsive. */
const EACH_FRAME = 60;
/** From this many records on, rows out of sight are not laid out. */
const MANY = 100;
/** Up to this many region names fit side by side. */
const FEW_REGIONS = 4;

interface Props {
  overview: Overview;
  filter: Filter;
  onReset: () => void;
}

/** The matching records: a row each, with a column for each region. */
export function Records({ overview, filter, onReset }: Props) {
  const records = useMemo(() => filterRecords(overview.records, filter), [overview.records, filter]);
  const regions = useColumns(overview);
  const rows = useRows(useGradual(records), regions);
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
      class={`card records ${regions.length <= FEW_REGIONS ? "few-regions" : "many-regions"}${records.length >= MANY ? " long" : ""}`}
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
      <ul>{rows}</ul>
      <p class="visually-hidden" role="status">
        {records.length === overview.records.length
          ? `${records.length} records`
          : `${records.length} of ${overview.records.length} records fit the filter`}
      </p>
    </section>
  );
}

/** Keeps the identity of the list while the regions are equal, because all rows depend on it. */
function useColumns({ regions }: Overview): readonly Region[] {
  const names = westToEast(regions).map(({ region }) => region);
  return useMemo(() => names, [names.join()]);
}

/** The rows of the records. A row is reused until its record changes. */
function useRows(records: readonly RecordSummary[], regions: readonly Region[]): VNode[] {
  const drawn = useMemo(() => new WeakMap<RecordSummary, VNode>(), [regions]);
  return records.map((record) => {
    const row = drawn.get(record) ?? <RecordRow key={record.rootHost} record={record} regions={regions} />;
    drawn.set(record, row);
    return row;
  });
}

/** Shows a list gradually: one more batch with each frame. */
function useGradual(records: readonly RecordSummary[]): readonly RecordSummary[] {
  const [, drawNext] = useReducer((frame: number) => frame + 1, 0);
  const there = useRef<ReadonlySet<string>>(new Set());
  let added = 0;
  const now = records.filter(({ rootHost }) => there.current.has(rootHost) || added++ < EACH_FRAME);
  useEffect(() => {
    there.current = new Set(now.map(({ rootHost }) => rootHost));
    if (now.length === records.length) return;
    const frame = requestAnimationFrame(() => drawNext(undefined));
    return () => cancelAnimationFrame(frame);
  });
  return now;
}
