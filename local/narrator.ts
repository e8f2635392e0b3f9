import type { Console } from "./console.ts";
import type { DnsChange } from "./dns-watch.ts";
import type { Gateway } from "./gateways.ts";
import { leavesWithinMs, returnsWithinMs } from "./limits.ts";
import type { StackEvent } from "./plan.ts";
import type { Stack } from "./stack.ts";
import { why } from "./why.ts";

type Told = Pick<Stack, "gateways" | "readRecord">;

/** The cluster was registered with the top-level domains that the records had then. */
const OTHER_HOST = /not among the hosts that the cluster may name/;
const START_AGAIN = "Start the stack again: it allows the domains of the records that it finds at its start.";

/** Tells what happens in a stack: each change that reached DNS, how long it took and why. */
export class Narrator {
  readonly #console: Console;
  /** When each gateway was last broken or mended, Unix ms, by address; until the change that this led to was told. */
  readonly #changedAt = new Map<string, number>();
  /** Every target that was in an answer, by `name type`. */
  readonly #known = new Map<string, ReadonlySet<string>>();
  #edgeStoppedAt: number | undefined;

  constructor(console: Console) {
    this.#console = console;
  }

  tell(event: StackEvent, stack: Told): void {
    switch (event.kind) {
      case "Gateway":
        this.#changedAt.set(event.gateway.address, Date.now());
        this.#console.event(this.#console.gateway(event.gateway));
        break;
      case "Part":
        this.#tellPart(event);
        break;
      case "Trouble":
        this.#console.event(event.message, OTHER_HOST.test(event.message) ? [START_AGAIN] : []);
        break;
      case "Dns":
        void this.#tellDns(event.change, stack);
    }
  }

  /** Tells of each name that has no answer why it has none. */
  async tellUnanswered(stack: Told & Pick<Stack, "answers" | "questions">): Promise<void> {
    const answers = stack.answers();
    for (const { name, type, record } of stack.questions()) {
      if ((answers[`${name} ${type}`]?.targets.length ?? 0) > 0) continue;
      const status = await stack.readRecord(record.rootHost);
      const reasons =
        status === undefined ? [] : status.leaves.map(({ leaf }) => `${leaf}: ${why(status, leaf, Date.now())}`);
      this.#console.event(`${name} ${type}   no address yet`, reasons);
    }
  }

  #tellPart({ name, running, asked }: Extract<StackEvent, { kind: "Part" }>): void {
    if (name === "edge") this.#edgeStoppedAt = running ? undefined : Date.now();
    // What happens from here on has another cause, and no limit in time.
    this.#changedAt.clear();
    const end = asked ? "stopped" : "ended by itself; its log is in the state folder";
    this.#console.event(`${name} ${running ? "started" : this.#console.style("red", end)}`);
  }

  async #tellDns(change: DnsChange, stack: Told): Promise<void> {
    const { after, question } = change;
    const before = change.before?.targets ?? [];
    const known = this.#learn(`${question.name} ${question.type}`, after.targets);
    // Nothing was answered yet: neither an empty answer nor the first full one has a story.
    if (before.length === 0 && after.targets.length === 0) return;
    const left = before.filter((target) => !after.targets.includes(target));
    const came = before.length === 0 ? [] : after.targets.filter((target) => !before.includes(target));
    const record = await stack.readRecord(question.record.rootHost);
    const reason = (target: string) => {
      if (this.#edgeStoppedAt !== undefined) return "the edge is silent, so the agent publishes all it has";
      return record === undefined ? "" : why(record, target, Date.now());
    };
    const tell = (target: string, verb: string) => {
      const parts = [`${target} ${verb}${this.#afterWhat(change, target, stack.gateways)}`, reason(target)];
      return parts.filter((part) => part !== "").join(": ");
    };
    const details = [
      ...left.map((target) => tell(target, "left")),
      ...came.map((target) => tell(target, known.has(target) ? "is back" : "joined")),
    ];
    this.#console.event(this.#console.picture(change), details);
  }

  /** Notes what is answered now; gives what was before. */
  #learn(key: string, targets: readonly string[]): ReadonlySet<string> {
    const before = this.#known.get(key) ?? new Set();
    this.#known.set(key, new Set([...before, ...targets]));
    return before;
  }

  /** `, 6.4 s after its gateway was broken (at most 8 s)`; empty where nobody here caused it. */
  #afterWhat({ at, question, before, after }: DnsChange, target: string, gateways: readonly Gateway[]): string {
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
    // It failed for long and was kept all the same, as the last: the limit in time was never its own.
    if (!isIn && limit !== undefined && at - changedAt > limit && others.length > 0)
      return ", now that another is back";
    const bound = limit === undefined ? "" : ` (at most ${limit / 1_000} s)`;
    return `, ${seconds(changedAt)} its gateway was ${isIn ? "mended" : "broken"}${bound}`;
  }
}
