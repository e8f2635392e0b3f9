import { count, NO_COUNTS } from "../../../shared/health/count.ts";
import type { Assignment } from "../../../shared/model/messages/assignment.ts";
import type { Report } from "../../../shared/model/messages/report.ts";
import type { MessageNumber } from "../../../shared/model/number.ts";
import type { Counts, Probe } from "../../../shared/model/probe.ts";
import type { Region } from "../../../shared/model/region.ts";
import { isNewer } from "../../../shared/number.ts";
import { outcomeOf, type Reason } from "../../../shared/reason.ts";

type Held = { revision: string; counts: Counts; checkedAt?: number };

interface Prober {
  epoch: number;
  rounds: number;
  assignment: Assignment;
  held: Map<string, Held>;
}

/** Probers as the coordinator knows them by the messages: they count by the shared rules, and dial nothing. */
export class FakeProbers {
  readonly probers = new Map<string, Prober>();
  readonly assigned: Assignment[] = [];
  /** How a check of a leaf from a region goes. */
  outcome: (leaf: string, region: Region, probe: Probe) => Reason = () => "Ok";
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  assign(assignment: Assignment): { number: MessageNumber } {
    this.assigned.push(structuredClone(assignment));
    const key = nameOf(assignment);
    const prober = this.probers.get(key);
    if (prober !== undefined && !isNewer(assignment.number, prober.assignment.number)) {
      return { number: prober.assignment.number };
    }
    const held = new Map(assignment.probes.map((probe) => [probe.id, heldFor(probe, prober?.held.get(probe.id))]));
    const { epoch, rounds } = prober ?? { epoch: this.#now(), rounds: 0 };
    this.probers.set(key, { epoch, rounds, assignment: structuredClone(assignment), held });
    return { number: assignment.number };
  }

  /** One round of every shard with probes in these regions; with `isChecked` one between the rounds, of those probes alone. */
  round(regions: readonly Region[], isChecked: (leaf: string) => boolean = () => true): Report[] {
    return [...this.probers.values()]
      .filter(({ assignment }) => regions.includes(assignment.shard.region) && assignment.probes.length > 0)
      .map((prober) => this.#roundOf(prober, isChecked));
  }

  #roundOf(prober: Prober, isChecked: (leaf: string) => boolean): Report {
    prober.rounds += 1;
    const { shard, number, probes } = prober.assignment;
    const at = this.#now();
    return {
      version: 1,
      shard,
      number: { epoch: prober.epoch, n: prober.rounds },
      assignment: number,
      roundAt: at,
      lateMs: 3,
      colo: `${shard.region}1`,
      probes: probes.map((probe) =>
        isChecked(probe.target.leaf) ? this.#check(prober, probe, at) : asBefore(probe, prober.held.get(probe.id)),
      ),
    };
  }

  #check(prober: Prober, probe: Probe, at: number): Report["probes"][number] {
    const held = prober.held.get(probe.id) ?? { revision: probe.revision, counts: NO_COUNTS };
    const reason = this.outcome(probe.target.leaf, prober.assignment.shard.region, probe);
    const outcome = outcomeOf(reason);
    held.counts = count(held.counts, outcome, probe);
    if (outcome !== "indeterminate") held.checkedAt = at;
    prober.held.set(probe.id, held);
    return {
      id: probe.id,
      revision: probe.revision,
      counts: { ...held.counts },
      ...(held.checkedAt !== undefined && { checkedAt: held.checkedAt }),
      observation: { reason, at, phases: { totalMs: 12 } },
    };
  }

  ids(): string[] {
    return [...this.probers.values()].flatMap(({ assignment }) => assignment.probes.map(({ id }) => id)).sort();
  }
}

function asBefore({ id, revision }: Probe, held: Held | undefined): Report["probes"][number] {
  const checkedAt = held?.checkedAt;
  return { id, revision, counts: held?.counts ?? NO_COUNTS, ...(checkedAt !== undefined && { checkedAt }) };
}

function heldFor(probe: Probe, before: Held | undefined): Held {
  if (before?.revision === probe.revision) return before;
  return { revision: probe.revision, counts: probe.carried ?? NO_COUNTS };
}

const nameOf = ({ shard }: Assignment) => `${shard.region}/${shard.intervalMs}/${shard.n}`;
