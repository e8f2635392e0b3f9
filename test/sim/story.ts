import { type AdvisedRegion, probeAdvisories } from "../../shared/health/advisory.ts";
import { count, NO_COUNTS } from "../../shared/health/count.ts";
import { freshnessOf } from "../../shared/health/freshness.ts";
import { quorumSize } from "../../shared/health/quorum.ts";
import { judge, type Policy, type Standing } from "../../shared/health/verdict.ts";
import type { Counts } from "../../shared/model/probe.ts";
import type { Quorum } from "../../shared/model/quorum.ts";
import { REGIONS } from "../../shared/model/region.ts";
import type { Advisory, Verdict } from "../../shared/model/status.ts";
import type { Outcome } from "../../shared/reason.ts";

const SECOND_MS = 1_000;
const STALE_AFTER_MS = 95 * SECOND_MS;
const LETTERS: Record<string, Outcome> = { o: "ok", f: "failed", i: "indeterminate" };

/** Three failures to become unhealthy, two successes to recover, as in the reports that the stories come from. */
const THRESHOLDS = { failureThreshold: 2, successThreshold: 2 };

type Place = { counts: Counts; checkedAt?: number; saysSince: number };

/** One probe and the clock of its coordinator. Each line of a story is a check from every region, 30 s apart. */
export class Story {
  #nowMs = 0;
  #awaitedFrom = 0;
  #places: Place[];
  #policy: Policy;
  #standing: Standing | undefined;

  constructor(regions: number, quorum: Quorum = "Majority", whenSilent: Policy["whenSilent"] = "Publish") {
    this.#places = Array.from({ length: regions }, () => ({ counts: NO_COUNTS, saysSince: 0 }));
    this.#policy = { ...THRESHOLDS, quorum: quorumSize(quorum, regions), whenSilent };
  }

  /** One round: a letter for each region, `o`k, `f`ailed, `i`ndeterminate or `.` for no check at all. */
  round(letters: string): Verdict {
    this.#nowMs += 30 * SECOND_MS;
    for (const [index, letter] of [...letters].entries()) this.#check(index, LETTERS[letter]);
    return this.#judge();
  }

  /** The verdict after each of the rounds. */
  rounds(...rounds: string[]): Verdict[] {
    return rounds.map((letters) => this.round(letters));
  }

  /** Nothing is heard for a time, and the coordinator goes on judging. */
  nothingFor(seconds: number): Verdict {
    this.#nowMs += seconds * SECOND_MS;
    return this.#judge();
  }

  /** The coordinator starts again with what is stored. */
  restart(): Verdict {
    this.#awaitedFrom = this.#nowMs;
    return this.#judge();
  }

  get advisories(): Advisory[] {
    if (this.#standing === undefined) return [];
    return probeAdvisories(this.#standing, this.#words(), this.#policy);
  }

  #check(index: number, outcome: Outcome | undefined): void {
    const place = this.#places[index];
    if (place === undefined || outcome === undefined) return;
    const counts = count(place.counts, outcome, THRESHOLDS);
    const saysSince = counts.says === place.counts.says ? place.saysSince : this.#nowMs;
    const checkedAt = outcome === "indeterminate" ? place.checkedAt : this.#nowMs;
    this.#places[index] = { counts, saysSince, ...(checkedAt !== undefined && { checkedAt }) };
  }

  #words(): AdvisedRegion[] {
    return this.#places.map(({ counts, checkedAt, saysSince }, index) => {
      const seen = { awaitedFrom: this.#awaitedFrom, ...(checkedAt !== undefined && { checkedAt }) };
      const freshness = freshnessOf(seen, STALE_AFTER_MS, this.#nowMs);
      return { region: REGIONS[index]!, freshness, counts, saysSince, recent: [] };
    });
  }

  #judge(): Verdict {
    this.#standing = judge(this.#standing, this.#words(), this.#policy, this.#nowMs);
    return this.#standing.verdict;
  }
}
