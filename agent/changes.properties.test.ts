import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Delivery } from "../shared/model/messages/delivery.ts";
import { compareNumbers, formatNumber, NO_NUMBER } from "../shared/number.ts";
import { EMPTY_STATE, source, startController } from "../test/support/agent/core.ts";
import { delivered } from "../test/support/agent/delivered.ts";
import { propertyRuns } from "../test/support/property-runs.ts";
import { decidedNumber } from "../workers/cluster/delivery.ts";
import { Outbox } from "../workers/cluster/outbox.ts";
import type { ClusterStore, OutboxState } from "../workers/cluster/store.ts";
import type { Applied } from "./controller.ts";
import { makeWebhook } from "./edge/webhook.ts";
import type { State } from "./status/state.ts";

const NAMES = ["a", "b", "c", "d"];
const SECRET = `whsec_${btoa("x".repeat(32))}`;
const LIMITS = { windowMs: 0, patienceMs: 300_000 };
const STARTED_MS = 1_800_000_000_000;

/** What the edge has decided of a record: one of some addresses, what no agent can read, or nothing. */
type Decided = number | "Unreadable" | undefined;
/** What becomes of one call. */
type Fate = "Arrives" | "Lost" | "AnswerLost" | "Twice" | "LeaderEnds" | "Decided" | "Rebound";
type Step =
  | { kind: "Decide"; decided: Record<string, Decided> }
  | { kind: "Call"; fate: Fate; afterMs: number }
  | { kind: "Own"; names: string[] }
  | { kind: "Agent"; become: "Restarted" | "NewLeader" | "Empty" | "Ahead" | "Former" | "Present" }
  | { kind: "EdgeRestarts" | "EdgeIsKept" | "EdgeIsPutBack" | "Asks" | "Pushes" | "DiskFull" | "DiskFree" }
  | { kind: "Replay"; which: number };

const aDecision = fc.oneof(
  { weight: 16, arbitrary: fc.integer({ min: 1, max: 9 }) },
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constant("Unreadable" as const) },
);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ kind: fc.constant("Decide"), decided: fc.dictionary(fc.constantFrom(...NAMES), aDecision) }),
  },
  {
    weight: 16,
    arbitrary: fc.record({
      kind: fc.constant("Call"),
      fate: fc.oneof(
        { weight: 12, arbitrary: fc.constant<Fate>("Arrives") },
        fc.constantFrom<Fate>("Lost", "AnswerLost", "Twice", "LeaderEnds", "Decided", "Rebound"),
      ),
      afterMs: fc.constantFrom(1, 1_000, 60_000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("Own"), names: fc.subarray(NAMES) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("Agent"),
      become: fc.constantFrom("Restarted", "NewLeader", "Empty", "Ahead", "Former", "Present"),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        ...["EdgeRestarts", "EdgeIsKept", "EdgeIsPutBack", "EdgeIsPutBack", "Asks", "Pushes", "DiskFull", "DiskFree"],
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("Replay"), which: fc.nat(20) }) },
) as fc.Arbitrary<Step>;

/** Values of a table as the objects of the edge keep them. */
function cell<Value extends object>(value: Value) {
  return {
    get: () => value,
    update: (change: Partial<Value>) => {
      value = { ...value, ...change };
    },
  };
}

/** The outbox of the edge over a store in memory. */
class Edge {
  decided: Record<string, Decided> = {};
  readonly store: ClusterStore;
  outbox: Outbox;
  #kept: { decided: Record<string, Decided>; outbox: OutboxState };

  constructor() {
    const outbox: OutboxState = { n: 0, acknowledged: NO_NUMBER, complete: true, failures: 0 };
    this.store = {
      identity: cell({ cluster: "here", epoch: STARTED_MS, webhookUrl: "http://agent/v1/delivery", secrets: [SECRET] }),
      outbox: cell(outbox),
      seen: { note: () => {} },
      decisions: { all: () => this.records(), of: (hosts: string[]) => this.records(hosts) },
    } as unknown as ClusterStore;
    this.outbox = this.#open();
    this.#kept = { decided: {}, outbox };
  }

  records(hosts = NAMES.map((name) => `${name}.test`)) {
    const named = NAMES.filter((name) => this.decided[name] !== undefined && hosts.includes(`${name}.test`));
    return named.map((name) => recordOf(name, this.decided[name]));
  }

  decide(change: Record<string, Decided>): void {
    const hosts = (isIt: (name: string) => boolean) =>
      Object.keys(change)
        .filter((name) => change[name] !== this.decided[name] && isIt(name))
        .map((name) => `${name}.test`);
    const difference = {
      changed: hosts((name) => change[name] !== undefined),
      removed: hosts((name) => change[name] === undefined),
      isDecision: true,
    };
    this.decided = { ...this.decided, ...change };
    this.outbox.changed(true, difference);
  }

  restart(): void {
    this.outbox.stop();
    this.outbox = this.#open();
  }

  keep(): void {
    this.#kept = { decided: this.decided, outbox: this.store.outbox.get() };
  }

  /** Its storage is as it was when it was kept, and numbers are given out a second time. */
  putBack(): void {
    this.decided = this.#kept.decided;
    const { failingSince, lastFailure, retryAt, unconfirmed, epoch, ...rest } = this.#kept.outbox;
    this.store.outbox.update({ failingSince, lastFailure, retryAt, unconfirmed, epoch, ...rest });
    this.restart();
  }

  #open(): Outbox {
    return new Outbox(
      this.store,
      LIMITS,
      () => {},
      () => {},
    );
  }
}

function recordOf(name: string, decided: Decided) {
  const record = delivered(`${name}.test`, [`192.0.2.${decided === "Unreadable" ? 1 : decided}`], {
    record: `shop/${name}`,
  });
  return decided === "Unreadable" ? { ...record, endpoints: "none" } : record;
}

/** A message by its number and time: an edge that was put back gives numbers out a second time. */
const nameOf = ({ number, sentAt }: Pick<Delivery, "number" | "sentAt">) => `${formatNumber(number)} ${sentAt}`;

/** An agent, and beside it the same one that is given each time everything, with the number that the other comes to. */
class Agents {
  real = startController();
  model = startController();
  isFormer = false;
  #own = source();
  readonly #wholeOf: (delivery: Delivery) => unknown;

  constructor(wholeOf: (delivery: Delivery) => unknown) {
    this.#wholeOf = wholeOf;
  }

  get number(): State["number"] {
    return this.real.core.state.number;
  }

  async own(names: string[]): Promise<void> {
    this.#own = source(
      ...names.map((name) => ({ name, targets: Array.from({ length: 9 }, (_, n) => `192.0.2.${n + 1}`) })),
    );
    await this.#each((one) => one.core.takeSource(this.#own));
  }

  async take(json: unknown): Promise<Applied> {
    const delivery = json as Delivery;
    const { kind } = delivery;
    if (this.isFormer && kind === "Changes") return { kind: "Refused", message: "kind" };
    const applied = await this.real.core.takeDelivery(json);
    // Else what has come as late as word from the edge, and so counts as a replay, would be none for the model.
    if (kind === "Contact") await this.model.core.takeDelivery(json);
    // The model hears less often: what is a replay for the one need not be for the other.
    const isTaken = nameOf(this.real.core.state) === nameOf(delivery);
    if (kind !== "Contact" && isTaken) await this.model.core.takeDelivery(this.#wholeOf(delivery));
    return applied.kind === "Applied" && this.isFormer ? { ...applied, takesChanges: false } : applied;
  }

  /** Both go on with what was stored last; as another number says. */
  async restart(numbered: (number: State["number"]) => State["number"], isEmpty = false): Promise<void> {
    const again = ({ world: { stored, diskFull } }: ReturnType<typeof startController>) => {
      const next = startController(isEmpty ? EMPTY_STATE : { ...stored, number: numbered(stored.number) });
      next.world.diskFull = diskFull;
      return next;
    };
    this.real = again(this.real);
    this.model = again(this.model);
    await this.#each((one) => one.core.takeSource(this.#own));
  }

  disk(isFull: boolean): void {
    this.real.world.diskFull = isFull;
    this.model.world.diskFull = isFull;
  }

  /** But for the contact: the model hears less often. */
  expectSame(): void {
    const held = ({ core, world }: ReturnType<typeof startController>) => {
      const { sentAt: _, records, ...state } = core.state;
      const statuses = Object.entries(records).map(([key, { status }]) => {
        return [key, { ...status, conditions: status.conditions.filter(({ type }) => type !== "EdgeReachable") }];
      });
      return { ...state, statuses: Object.fromEntries(statuses), named: core.namedByEdge, zones: world.zones };
    };
    expect(held(this.real)).toEqual(held(this.model));
  }

  async #each(work: (one: ReturnType<typeof startController>) => Promise<void>): Promise<void> {
    await work(this.real);
    await work(this.model);
  }
}

/** Edge and agent with the way between them, on which anything may become of a call. */
class World {
  readonly edge = new Edge();
  readonly #whole = new Map<string, unknown>();
  readonly agents = new Agents((delivery) => this.#whole.get(nameOf(delivery)));
  readonly #sent: RequestInit[] = [];
  kinds: string[] = [];
  #fate: Fate = "Arrives";
  #takesChanges = false;
  readonly #receiver = makeWebhook({
    secrets: [SECRET],
    isReady: () => true,
    apply: (json) => this.agents.take(json),
    now: Date.now,
  });

  async run(step: Step): Promise<void> {
    vi.setSystemTime(Date.now() + 1);
    switch (step.kind) {
      case "Decide":
        return this.edge.decide(step.decided);
      case "Call":
        this.#fate = step.fate;
        vi.setSystemTime(Date.now() + step.afterMs);
        return this.edge.outbox.run();
      case "Own":
        return this.agents.own(step.names);
      case "Agent":
        return this.#become(step.become);
      case "EdgeRestarts":
        return this.edge.restart();
      case "EdgeIsKept":
        return this.edge.keep();
      case "EdgeIsPutBack":
        return this.edge.putBack();
      case "Asks":
        if (this.edge.outbox.applied(this.agents.number) === undefined) await this.#answer(this.agents.number);
        return;
      case "Pushes":
        this.edge.outbox.forget();
        return this.#answer(NO_NUMBER);
      case "DiskFull":
      case "DiskFree":
        return this.agents.disk(step.kind === "DiskFull");
      case "Replay":
        await this.#deliver(this.#sent[step.which % Math.max(1, this.#sent.length)]);
    }
  }

  /** Stands for `fetch` at the edge. */
  async call(request: RequestInit): Promise<Response> {
    const delivery = JSON.parse(String(request.body)) as Delivery;
    this.#note(delivery);
    this.kinds.push(delivery.kind);
    if (delivery.kind === "Changes") expect(this.#takesChanges).toBe(true);
    this.#sent.push(request);
    const fate = this.#fate;
    this.#fate = "Arrives";
    if (fate === "Lost") throw new Error("lost");
    const first = await this.#deliver(request);
    const answer = (fate === "Twice" ? await this.#deliver(request) : undefined) ?? first;
    if (fate === "AnswerLost" || answer === undefined) throw new Error("the answer is lost");
    if (fate === "LeaderEnds") await this.#become("NewLeader");
    if (fate === "Decided") this.edge.decide({ a: 1 + ((Number(this.edge.decided.a) || 0) % 9) });
    if (fate === "Rebound") this.edge.outbox.forget();
    this.#takesChanges = ((await answer.clone().json()) as { takes?: string[] }).takes?.[0] === "Changes";
    return answer;
  }

  async #deliver(request: RequestInit | undefined): Promise<Response | undefined> {
    return request && this.#receiver.request("/v1/delivery", request);
  }

  /** The answer to a call of the agent, which has applied this number. */
  async #answer(applied: State["number"]): Promise<void> {
    const delivery = this.edge.outbox.deliveryFor(applied);
    this.#note(delivery);
    await this.agents.take(JSON.parse(JSON.stringify(delivery)));
  }

  /** What it would be, were everything sent each time. */
  #note({ version, cluster, number, sentAt }: Delivery): void {
    const records = JSON.parse(JSON.stringify(this.edge.store.decisions.all()));
    this.#whole.set(nameOf({ number, sentAt }), { version, cluster, kind: "Full", number, sentAt, records });
  }

  async #become(become: Extract<Step, { kind: "Agent" }>["become"]): Promise<void> {
    switch (become) {
      case "Former":
      case "Present":
        this.agents.isFormer = become === "Former";
        return this.agents.restart((number) => number);
      case "NewLeader":
        return this.agents.restart(({ epoch, n }) => ({ epoch, n: Math.max(0, n - 1) }));
      case "Ahead":
        return this.agents.restart(({ epoch, n }) => ({ epoch, n: n + 7 }));
      default:
        return this.agents.restart((number) => number, become === "Empty");
    }
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: STARTED_MS });
  vi.spyOn(Math, "random").mockReturnValue(0.5);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it("whatever is lost, doubled, overtaken or begun anew, changes make the agent hold what whole deliveries would", async () => {
  let changes = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 30, maxLength: 60 }), async (steps) => {
      vi.setSystemTime(STARTED_MS);
      const world = new World();
      const { edge, agents } = world;
      vi.stubGlobal("fetch", (_url: string, request: RequestInit) => world.call(request));
      await world.run({ kind: "Own", names: NAMES.slice(0, 3) });
      for (const step of steps) {
        await world.run(step);
        agents.expectSame();
      }
      agents.disk(false);
      edge.decide({ d: edge.decided.d === 9 ? 8 : 9 });
      // An edge that was put back may be at the agent's number before it has said a word.
      const isDone = () => {
        const { acknowledged, failures } = edge.store.outbox.get();
        const isNewest = (number: State["number"]) => compareNumbers(number, decidedNumber(edge.store)) === 0;
        return isNewest(agents.number) && isNewest(acknowledged) && failures === 0;
      };
      for (let tries = 0; tries < 5 && !isDone(); tries += 1) {
        await world.run({ kind: "Call", fate: "Arrives", afterMs: 60_000 });
        agents.expectSame();
      }
      expect(isDone()).toBe(true);
      const { hosts } = agents.real.core.state;
      for (const record of edge.records()) {
        if (hosts[record.rootHost] !== undefined && record.endpoints !== "none")
          expect(hosts[record.rootHost]?.delivered).toEqual(record);
      }
      edge.outbox.stop();
      changes += world.kinds.filter((kind) => kind === "Changes").length;
    }),
    { numRuns: propertyRuns(40) },
  );
  expect(changes).toBeGreaterThan(propertyRuns(50));
}, 120_000);
