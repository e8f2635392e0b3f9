import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Decisions, ShareInput } from "../../shared/model/messages/shares.ts";
import { NO_NUMBER } from "../../shared/number.ts";
import { Bench, MINUTE, onBench, SECOND, share } from "../../test/support/coordinator/bench.ts";
import { propertyRuns } from "../../test/support/property-runs.ts";
import { DecisionTable } from "../cluster/decisions.ts";
import type { Outbox } from "../cluster/outbox.ts";
import { PartitionTable } from "../cluster/partitions.ts";
import { type ClusterStore, MIGRATIONS } from "../cluster/store.ts";
import { takeChanges, takeDecisions } from "../cluster/take-decisions.ts";
import type { DecisionsAnswer } from "../rpc.ts";

const EAST = "east";
const RECORDS = 10;
/** As many as may take numbers past those that were given out before storage was put back. */
const EDITS_AT_END = 8;

/** What a share may be: none, or these addresses of the record. */
const FORMS: readonly (readonly number[])[] = [[], [1, 2], [1], [2, 3]];

type Fate = "delivered" | "lost" | "unanswered" | "doubled" | "late";
type Kept = "cluster" | "coordinator";
type Step =
  | { do: "edit"; cluster: string; record: number; form: number; answer: "taken" | "lost"; fates: Fate[] | undefined }
  | { do: "round"; failing: number[] }
  | { do: "settle"; fates: Fate[] }
  | { do: "contact"; answer: "taken" | "lost" | "late" }
  | { do: "late" | "heartbeat" | "restart" | "registerAgain" }
  | { do: "keep" | "putBack"; what: Kept };

const fate = fc.constantFrom<Fate>("delivered", "delivered", "delivered", "lost", "unanswered", "doubled", "late");
const kept = fc.constantFrom<Kept>("cluster", "coordinator");
const someFates = fc.array(fate, { minLength: 1, maxLength: 4 });
const edit = fc.record({
  do: fc.constant("edit" as const),
  cluster: fc.constantFrom(EAST, EAST, "west"),
  // Mostly of few of them, so that one comes and goes by several ways.
  record: fc.oneof(fc.nat({ max: RECORDS - 1 }), fc.nat({ max: 1 })),
  form: fc.nat({ max: FORMS.length - 1 }),
  answer: fc.constantFrom("taken" as const, "lost" as const, "lost" as const),
  fates: fc.oneof(fc.constant(undefined), fc.constant<Fate[]>([]), someFates),
});
const settle = fc.record({ do: fc.constant("settle" as const), fates: someFates });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: edit },
  { weight: 3, arbitrary: settle },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("round" as const),
      failing: fc.subarray(
        Array.from({ length: RECORDS }, (_, record) => record),
        { maxLength: 3 },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("contact" as const),
      answer: fc.constantFrom("taken" as const, "lost" as const, "late" as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("late" as const, "heartbeat" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("restart" as const, "registerAgain" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("keep" as const), what: kept }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("putBack" as const), what: kept }) },
);

type Edit = Extract<Step, { do: "edit" }>;

/** The rows of some tables, to be put back later. */
type Rows = Map<string, Record<string, SqlStorageValue>[]>;

/**
 * A cluster's object as far as it takes decisions, over real tables. Beside it stands what an object has that is handed everything each
 * time: after each message that is taken the two are the same.
 */
class Taker {
  readonly #partitions: PartitionTable;
  readonly #decisions: DecisionTable;
  readonly #taker: Parameters<typeof takeDecisions>[0];
  model: Decisions | undefined;
  inPart = 0;
  /** What was found wrong: thrown within a call it would only be one more that is lost. */
  wrong: unknown;

  constructor(storage: DurableObjectStorage) {
    for (const statements of MIGRATIONS) storage.sql.exec(statements);
    this.#partitions = new PartitionTable(storage.sql, 1);
    this.#decisions = new DecisionTable(storage.sql);
    this.#partitions.create(1);
    const store = { storage, partitions: this.#partitions, decisions: this.#decisions } as unknown as ClusterStore;
    this.#taker = { store, outbox: { changed: () => {}, schedule: () => {} } as unknown as Outbox };
  }

  get number() {
    return this.#partitions.get(0)?.decisions ?? NO_NUMBER;
  }

  takeWhole(decisions: Decisions): DecisionsAnswer {
    return this.#compared(takeDecisions(this.#taker, structuredClone(decisions)), decisions);
  }

  takePart(changes: Parameters<typeof takeChanges>[1], whole: Decisions): DecisionsAnswer {
    const answer = takeChanges(this.#taker, structuredClone(changes));
    if (answer === "Taken") this.inPart += 1;
    return this.#compared(answer, whole);
  }

  #compared(answer: DecisionsAnswer, whole: Decisions): DecisionsAnswer {
    if (answer === "Taken") this.model = structuredClone(whole);
    try {
      expect(this.number).toEqual(this.model?.number ?? NO_NUMBER);
      expect(this.#decisions.all()).toEqual(this.model?.records ?? []);
    } catch (error) {
      this.wrong ??= error;
    }
    return answer;
  }
}

class Story {
  readonly #bench: Bench;
  readonly taker: Taker;
  readonly #forms = new Map<string, number[]>();
  #epoch: number;
  #puts = 0;
  #fates: Fate[] = [];
  #late: (() => void)[] = [];
  #kept = new Map<Kept, { rows: Rows; model: Decisions | undefined }>();

  constructor(storage: DurableObjectStorage) {
    this.#bench = new Bench(storage);
    this.#epoch = this.#bench.now;
    this.taker = new Taker(storage);
    this.#bench.receiver = {
      // The other cluster's object is none of the story: it takes whatever it is handed.
      decided: (decisions) =>
        decisions.cluster === EAST ? this.#carry(() => this.taker.takeWhole(decisions)) : "Taken",
      decidedInPart: (changes) => {
        if (changes.cluster !== EAST) return "Taken";
        // What it would be handed now, were it handed everything.
        const whole = this.#contact(NO_NUMBER);
        if (whole?.number.n !== changes.number.n) {
          this.taker.wrong ??= new Error("it would not be handed these, were it handed everything");
          return "Lacking";
        }
        return this.#carry(() => this.taker.takePart(changes, whole));
      },
    };
  }

  async begin(): Promise<void> {
    this.#bench.coordination.registerCluster(EAST);
    this.#bench.coordination.heartbeat();
    this.#forms.set(
      EAST,
      Array.from({ length: RECORDS }, () => 1),
    );
    this.#putShares(EAST);
    for (let count = 0; count < 3; count += 1) await this.play({ do: "round", failing: [] });
    for (const what of ["cluster", "coordinator"] as const) this.#keep(what);
  }

  async play(one: Step): Promise<void> {
    if (one.do === "edit") await this.#edit(one);
    else if (one.do === "round") await this.#round(one.failing);
    else if (one.do === "settle") await this.#settle(one.fates);
    else if (one.do === "contact") this.#answer(this.#contact(this.taker.number), one.answer);
    else if (one.do === "late") for (const deliver of this.#late.splice(0, 2)) deliver();
    else if (one.do === "heartbeat") this.#bench.coordination.heartbeat();
    else if (one.do === "restart") this.#bench.restart();
    else if (one.do === "keep") this.#keep(one.what);
    else if (one.do === "putBack") this.#putBack(one.what);
    else this.#registerAgain();
    if (this.taker.wrong !== undefined) throw this.taker.wrong;
  }

  /** Nothing is lost any more: the newest has to be there at the end. */
  async end(): Promise<void> {
    // After it no region is awaited that was so since a start: what is awaited is handed over each time.
    await this.play({ do: "round", failing: [] });
    for (let count = 0; count < EDITS_AT_END; count += 1) {
      await this.play({ do: "edit", cluster: EAST, record: count, form: 1 + (count % 3), answer: "lost", fates: [] });
    }
    for (let count = 0; count < 2; count += 1) {
      this.#answer(this.#contact(this.taker.number), "taken");
      this.#putShares(EAST);
      await this.play({ do: "round", failing: [] });
      this.#bench.coordination.heartbeat();
      await this.play({ do: "settle", fates: [] });
    }
    expect(this.#contact(this.taker.number)).toBeUndefined();
    const newest = this.#bench.coordination.viewRecords(EAST);
    expect(
      this.taker.model?.records.map(({ rootHost, endpoints, leaves }) => ({ rootHost, endpoints, leaves })),
    ).toEqual(newest.map(({ rootHost, endpoints, leaves }) => ({ rootHost, endpoints, leaves })));
  }

  async #edit({ cluster, record, form, answer, fates }: Edit): Promise<void> {
    const forms = [...(this.#forms.get(cluster) ?? Array.from({ length: RECORDS }, () => 0))];
    forms[record] = form;
    this.#forms.set(cluster, forms);
    const decisions = this.#putShares(cluster);
    if (cluster === EAST) this.#answer(decisions, answer);
    if (fates !== undefined) await this.#settle(fates);
  }

  #putShares(cluster: string): Decisions | undefined {
    this.#puts += 1;
    const shares = (this.#forms.get(cluster) ?? []).flatMap((form, record) => sharesOf(cluster, record, FORMS[form]));
    const number = { epoch: this.#epoch, n: this.#puts };
    return this.#bench.coordination.putShares({ version: 1, cluster, number, shares }).decisions;
  }

  #contact(decisionsNumber: typeof NO_NUMBER): Decisions | undefined {
    const sharesNumber = { epoch: this.#epoch, n: this.#puts };
    return this.#bench.coordination.contact({ cluster: EAST, sharesNumber, decisionsNumber }).decisions;
  }

  #answer(decisions: Decisions | undefined, fateOfIt: "taken" | "lost" | "late"): void {
    if (decisions === undefined || fateOfIt === "lost") return;
    const take = () => this.taker.takeWhole(decisions);
    if (fateOfIt === "late") this.#late.push(take);
    else take();
  }

  /** Less than all of them fail for long enough: counts change more often than decisions do. */
  async #round(failing: readonly number[]): Promise<void> {
    const failed = new Set(failing.map((record) => addressOf(EAST, record, 1)));
    this.#bench.probers.outcome = (leaf) => (failed.has(leaf) ? "ConnectFailed" : "Ok");
    const before = this.#bench.now;
    this.#bench.now += 10 * SECOND;
    this.#bench.round("weur");
    if (Math.floor(before / MINUTE) !== Math.floor(this.#bench.now / MINUTE)) this.#bench.coordination.heartbeat();
    await this.#settle([]);
  }

  async #settle(fates: readonly Fate[]): Promise<void> {
    this.#fates = [...fates];
    await this.#bench.settle();
    this.#fates = [];
  }

  #carry(deliver: () => DecisionsAnswer): DecisionsAnswer {
    const how = this.#fates.shift() ?? "delivered";
    if (how === "late") this.#late.push(deliver);
    if (how === "lost" || how === "late") throw new Error("Network connection lost.");
    const answer = deliver();
    if (how === "unanswered") throw new Error("Network connection lost.");
    return how === "doubled" ? deliver() : answer;
  }

  /** The cluster is removed, its object's storage with it, and registered under the same name. */
  #registerAgain(): void {
    const { storage, coordination } = this.#bench;
    coordination.removeCluster(EAST, this.#epoch);
    for (const statement of ["DELETE FROM decision", "DELETE FROM partition"]) storage.sql.exec(statement);
    storage.sql.exec("INSERT INTO partition (partition) VALUES (0)");
    this.taker.model = undefined;
    this.#bench.now += 1;
    this.#epoch = this.#bench.now;
    this.#kept.clear();
    coordination.registerCluster(EAST);
    this.#putShares(EAST);
  }

  #keep(what: Kept): void {
    this.#kept.set(what, { rows: rowsOf(this.#bench.storage.sql, what), model: this.taker.model });
  }

  /** Storage is as it was when it was kept; such an object starts anew, and calls under way are cut off. */
  #putBack(what: Kept): void {
    const held = this.#kept.get(what);
    if (held === undefined) return;
    putRows(this.#bench.storage.sql, held.rows);
    this.#late = [];
    if (what === "cluster") this.taker.model = held.model;
    else this.#bench.restart();
  }
}

const addressOf = (cluster: string, record: number, n: number) =>
  `203.0.${cluster === EAST ? 113 : 114}.${record * 10 + n}`;

function sharesOf(cluster: string, record: number, form: readonly number[] = []): ShareInput[] {
  if (form.length === 0) return [];
  const rootHost = `r${record}.example.com`;
  const targets = form.map((n) => addressOf(cluster, record, n));
  const check = { regions: ["weur" as const], failureThreshold: 1 };
  const endpoints = [{ dnsName: rootHost, recordType: "A", targets }];
  return [share([], { name: `r${record}`, check, spec: { rootHost, endpoints } })];
}

const OF_CLUSTER = ["decision", "partition"];

function rowsOf(sql: SqlStorage, what: Kept): Rows {
  const all = sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").toArray();
  const names = all.map(({ name }) => name).filter((name) => !/^(sqlite_|_cf_)/.test(name));
  const some = names.filter((name) => OF_CLUSTER.includes(name) === (what === "cluster"));
  return new Map(some.map((name) => [name, sql.exec(`SELECT * FROM "${name}"`).toArray()]));
}

function putRows(sql: SqlStorage, rows: Rows): void {
  for (const [name, some] of rows) {
    sql.exec(`DELETE FROM "${name}"`);
    for (const row of some) {
      const columns = Object.keys(row);
      const places = columns.map(() => "?").join(", ");
      sql.exec(`INSERT INTO "${name}" (${columns.join(", ")}) VALUES (${places})`, ...Object.values(row));
    }
  }
}

beforeEach(() => {
  vi.spyOn(console, "warn").mockReturnValue();
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe("a cluster that is handed what has changed", () => {
  it("has after each hand-over what it would have if it were handed everything, whatever was lost, late or put back", async () => {
    let inPart = 0;
    await onBench(async (_, storage) => {
      const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        await storage.deleteAll();
        const story = new Story(storage);
        await story.begin();
        for (const one of steps) await story.play(one);
        await story.end();
        inPart += story.taker.inPart;
      });
      await fc.assert(property, { numRuns: propertyRuns(80) });
    });
    // A way that is never gone proves nothing.
    expect(inPart).toBeGreaterThan(propertyRuns(80));
  }, 120_000);
});
