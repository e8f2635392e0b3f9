import type { RecordSummary } from "../../../shared/model/overview.ts";
import type { RegionView } from "../../../shared/model/region-view.ts";
import type { PartitionOverview } from "../../rpc.ts";

/**
 * Some values change with time alone, such as the freshness of a silent region. So everything is rebuilt after this
 * time.
 */
const HELD_MS = 1_000;

/** The source of the overview. */
interface Source {
  rootHosts(): Iterable<string>;
  summaries(rootHosts: Iterable<string>): { records: RecordSummary[]; removed: string[] };
  regions(): RegionView[];
}

/**
 * Caches the overview, and rebuilds only the records that have changed. Any reader may ask for it, however often.
 * During an outage it must not take the time that reports need.
 */
export class OverviewCache {
  readonly #source: Source;
  readonly #records = new Map<string, RecordSummary>();
  readonly #changed = new Set<string>();
  #madeAt = Number.NEGATIVE_INFINITY;
  #held: Omit<PartitionOverview, "clusters"> = { at: 0, records: [], regions: [] };

  constructor(source: Source) {
    this.#source = source;
  }

  /** These records look different or are gone. */
  markChanged(rootHosts: Iterable<string>, nowMs: number): void {
    if (this.#isOld(nowMs)) return;
    for (const rootHost of rootHosts) this.#changed.add(rootHost);
  }

  /** Drops everything, since the state was read from storage again. */
  clear(): void {
    this.#madeAt = Number.NEGATIVE_INFINITY;
  }

  read(nowMs: number): Omit<PartitionOverview, "clusters"> {
    if (this.#isOld(nowMs)) {
      this.#records.clear();
      this.#take(this.#source.rootHosts(), nowMs, this.#source.regions());
      this.#madeAt = nowMs;
    } else if (this.#changed.size > 0) {
      this.#take(this.#changed, nowMs, this.#held.regions);
    }
    return this.#held;
  }

  #isOld(nowMs: number): boolean {
    return !(Math.abs(nowMs - this.#madeAt) < HELD_MS);
  }

  #take(rootHosts: Iterable<string>, at: number, regions: RegionView[]): void {
    const { records, removed } = this.#source.summaries(rootHosts);
    for (const record of records) this.#records.set(record.rootHost, record);
    for (const rootHost of removed) this.#records.delete(rootHost);
    this.#changed.clear();
    const all = [...this.#records.values()].sort((a, b) => (a.rootHost < b.rootHost ? -1 : 1));
    this.#held = { at, records: all, regions };
  }
}
