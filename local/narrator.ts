import { clockIn } from "../shared/explain/clock.ts";
import { explainDecision } from "../shared/explain/leaf.ts";
import { failuresToUnhealthy } from "../shared/health/threshold.ts";
import type { HealthCheck } from "../shared/model/health-check.ts";
import type { RecordStatus } from "../shared/model/status.ts";
import type { Console } from "./console.ts";
import type { DnsChange } from "./dns-watch.ts";
import type { StackEvent } from "./plan.ts";
import type { Gateway } from "./sample-gateways.ts";
import type { Stack } from "./stack.ts";

type NarratedStack = Pick<Stack, "gateways" | "readRecord">;

/** The cluster was registered with the top-level domains of the records at that time. */
const OTHER_HOST = /not among the hosts that the cluster may name/;
const START_AGAIN = "Start the stack again: at its start it allows the domains of the records that it finds.";

/** Reports events of a stack: each change in DNS, how long it took and why. */
export class Narrator {
  readonly #console: Console;
  /** When each gateway was last broken or repaired, Unix ms, by address. Removed once the resulting change is reported. */
  readonly #changedAt = new Map<string, number>();
  /** Every target ever seen in an answer, by `name type`. */
  readonly #known = new Map<string, ReadonlySet<string>>();
  #edgeStoppedAt: number | undefined;

  constructor(console: Console) {
    this.#console = console;
  }

  report(event: StackEvent, stack: NarratedStack): void {
    switch (event.kind) {
      case "Gateway":
        this.#changedAt.set(event.gateway.address, Date.now());
        this.#console.event(this.#console.gateway(event.gateway));
        break;
      case "Part":
        this.#reportPart(event);
        break;
      case "Warning":
        this.#console.event(event.message, OTHER_HOST.test(event.message) ? [START_AGAIN] : []);
        break;
      case "Dns":
        void this.#reportDns(event.change, stack);
    }
  }

  /** Reports for each name without an answer why it has none. */
  async reportUnanswered(
    stack: NarratedStack & Pick<Stack, "answers"> & { records: Pick<Stack["records"], "questions"> },
  ): Promise<void> {
    const answers = stack.answers();
    for (const { name, type, record } of stack.records.questions) {
      if ((answers[`${name} ${type}`]?.targets.length ?? 0) > 0) continue;
      const status = await stack.readRecord(record.rootHost);
      const reasons =
        status === undefined ? [] : status.leaves.map(({ leaf }) => `${leaf}: ${why(status, leaf, Date.now())}`);
      this.#console.event(`${name} ${type}   no address yet`, reasons);
    }
  }

  #reportPart({ name, running, expected }: Extract<StackEvent, { kind: "Part" }>): void {
    if (name === "edge") this.#edgeStoppedAt = running ? undefined : Date.now();
    // Later changes have another cause, and no time limit.
    this.#changedAt.clear();
    const end = expected ? "stopped" : "ended by itself; its log is in the state folder";
    this.#console.event(`${name} ${running ? "started" : this.#console.style("red", end)}`);
  }

  async #reportDns(change: DnsChange, stack: NarratedStack): Promise<void> {
    const { after, question } = change;
    const before = change.before?.targets ?? [];
    const known = this.#addKnown(`${question.name} ${question.type}`, after.targets);
    // There was no answer yet, so nothing has left and nothing has returned.
    if (before.length === 0 && after.targets.length === 0) return;
    const left = before.filter((target) => !after.targets.includes(target));
    const came = before.length === 0 ? [] : after.targets.filter((target) => !before.includes(target));
    const record = await stack.readRecord(question.record.rootHost);
    const reason = (target: string) => {
      if (this.#edgeStoppedAt !== undefined) return "the edge is silent, so the agent publishes all it has";
      return record === undefined ? "" : why(record, target, Date.now());
    };
    const describe = (target: string, verb: string) => {
      const parts = [`${target} ${verb}${this.#cause(change, target, stack.gateways)}`, reason(target)];
      return parts.filter((part) => part !== "").join(": ");
    };
    const details = [
      ...left.map((target) => describe(target, "left")),
      ...came.map((target) => describe(target, known.has(target) ? "is back" : "joined")),
    ];
    this.#console.event(this.#console.picture(change), details);
  }

  /** Records the current targets. Returns those known before. */
  #addKnown(key: string, targets: readonly string[]): ReadonlySet<string> {
    const before = this.#known.get(key) ?? new Set();
    this.#known.set(key, new Set([...before, ...targets]));
    return before;
  }

  /** `, 6.4 s after its gateway was broken (at most 8 s)`; empty if this stack did not cause it. */
  #cause({ at, question, before, after }: DnsChange, target: string, gateways: readonly Gateway[]): string {
    const seconds = (fromMs: number) => `${((at - fromMs) / 1_000).toFixed(1)} s after`;
    if (this.#edgeStoppedAt !== undefined) return `, ${seconds(this.#edgeStoppedAt)} the edge was stopped`;
    const gateway = gateways.find(({ address }) => address === target);
    const changedAt = this.#changedAt.get(target);
    if (gateway === undefined || changedAt === undefined) return "";
    const isIn = after.targets.includes(target);
    if (isIn !== (gateway.broken === undefined)) return "";
    this.#changedAt.delete(target);
    const check = question.record.healthCheck;
    const limit = check === undefined ? undefined : isIn ? returnsWithinMs(check) : leavesWithinMs(check);
    const others = after.targets.filter((other) => !before?.targets.includes(other));
    // It failed long ago and was kept as the last one, so the time limit does not apply to it.
    if (!isIn && limit !== undefined && at - changedAt > limit && others.length > 0)
      return ", now that another is back";
    const bound = limit === undefined ? "" : ` (at most ${limit / 1_000} s)`;
    return `, ${seconds(changedAt)} its gateway was ${isIn ? "mended" : "broken"}${bound}`;
  }
}

const TLS = /^(TLS|Certificate)/;

/** Explains in one sentence why a leaf is in DNS or not, and what is wrong with its certificate. */
export function why(record: RecordStatus, leaf: string, nowMs: number): string {
  const decision = record.leaves.find((candidate) => candidate.leaf === leaf);
  if (decision === undefined) return "no longer in the record";
  return [explainDecision(record, decision, clockIn(nowMs)), ...certificateFaults(record, leaf)].join(". ");
}

function certificateFaults({ probes }: RecordStatus, leaf: string): string[] {
  const against = probes.flatMap((probe) =>
    probe.leaf === leaf ? probe.regions.filter(({ counts }) => counts.says === "Unhealthy") : [],
  );
  const messages = against.flatMap(({ observation }) =>
    observation?.message !== undefined && TLS.test(observation.reason) ? [observation.message] : [],
  );
  return [...new Set(messages)].sort();
}

/** Allowance for deciding, delivering and answering. */
const DELIVERY_MS = 1_000;

/** How long a failed endpoint may stay in DNS: interval × (failureThreshold + 1) + timeout + 1 s. */
export function leavesWithinMs(check: HealthCheck): number {
  return check.intervalMs * failuresToUnhealthy(check) + check.timeoutMs + DELIVERY_MS;
}

/** How long a recovered endpoint may stay out of DNS: interval × successThreshold + timeout + 1 s. */
export function returnsWithinMs(check: HealthCheck): number {
  return check.intervalMs * check.successThreshold + check.timeoutMs + DELIVERY_MS;
}
