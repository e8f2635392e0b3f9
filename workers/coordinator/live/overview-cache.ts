import type { RecordSummary } from "../../../shared/model/overview.ts";
import type { RegionView } from "../../../shared/model/region-view.ts";
import type { PartitionOverview } from "../../rpc.ts";

/** What goes stale by time alone, such as the word of a region that is no more heard of, is looked at again after this. */
const HELD_MS = 1_000;

/** Where an overview is made from. */
interface Source {
  rootHosts(): Iterable<string>;
  summaries(rootHosts: Iterable<string>): { records: RecordSummary[]; removed: string[] };
  regions(): RegionView[];
}

/**
 * The overview as it was made last, of which only the records that changed since are made anew: it may be shown to anyone who
 * asks, however often, and while all changes at once it must not take the time that reports need.
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

  /** These records look other, or are no more. */
  markChanged(rootHosts: Iterable<string>, nowMs: number): void {
    if (this.#isOld(nowMs)) return;
    for (const rootHost of rootHosts) this.#changed.add(rootHost);
  }

  /** Everything is another: it was read from storage anew. */
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
