import fc from "fast-check";
import { expect, it } from "vitest";
import type { Change } from "../../../shared/model/notification.ts";
import type { Trouble, TroubleKind, Troubles } from "../../../shared/model/trouble.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { dueChanges, type Timing } from "./due-changes.ts";
import type { Incidents } from "./incidents.ts";
import { updateIncidents } from "./incidents.ts";

/** What is wrong at one time: of each of some things, whether anything is, and of which kind. */
const KEYS = ["record/a", "record/b", "region/weur", "cluster/east"] as const;
type Wrong = readonly (boolean | "worse")[];

type Step =
  | { type: "turn"; partition: number; wrong: Wrong }
  | { type: "send"; partition: number; copies: number; isKept: boolean }
  | { type: "late"; index: number }
  | { type: "wait"; ms: number };

const partition = fc.integer({ min: 0, max: 1 });
const wrong = fc.array(fc.constantFrom(false, true, "worse" as const), {
  minLength: KEYS.length,
  maxLength: KEYS.length,
});
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant("turn" as const), partition, wrong }),
  fc.record({
    type: fc.constant("send" as const),
    partition,
    copies: fc.integer({ min: 0, max: 2 }),
    isKept: fc.boolean(),
  }),
  fc.record({ type: fc.constant("late" as const), index: fc.nat(20) }),
  fc.record({ type: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 100_000 }) }),
);
const timing: fc.Arbitrary<Timing> = fc.record({
  minDurationMs: fc.constantFrom(0, 10_000, 60_000),
  groupWindowMs: fc.constantFrom(0, 5_000, 90_000),
});

/**
 * Two coordinators, a wire that loses, doubles and keeps messages, and the rules of one target. Whatever is sent must be true by
 * the newest lists.
 */
class Scene {
  now = 1_000_000;
  told: (Change & { at: number })[] = [];
  incidents: Incidents = new Map();
  readonly timing: Timing;
  readonly #kept: Troubles[] = [];
  readonly #heard = new Map<number, Troubles>();
  readonly #current: [Map<string, Trouble>, Map<string, Trouble>] = [new Map(), new Map()];

  constructor(rules: Timing) {
    this.timing = rules;
  }

  do(one: Step): void {
    this.now += 1;
    switch (one.type) {
      case "turn":
        this.turn(one.partition, one.wrong);
        break;
      case "send": {
        const list = this.listOf(one.partition);
        if (one.isKept) this.#kept.push(list);
        for (let copy = 0; copy < one.copies; copy += 1) this.take(list);
        break;
      }
      case "late": {
        const list = this.#kept[one.index % Math.max(1, this.#kept.length)];
        if (list !== undefined) this.take(list);
        break;
      }
      case "wait":
        this.now += one.ms;
    }
    this.tell();
  }

  turn(of: number, all: Wrong): void {
    const before = this.#current[of]!;
    const after = new Map<string, Trouble>();
    for (const [index, key] of KEYS.entries()) {
      if (!all[index]) continue;
      const kind = kindOf(key, all[index] === "worse");
      const old = before.get(key);
      after.set(key, old?.kind === kind ? old : { key, kind, since: this.now, summary: `${key} ${kind}` });
    }
    this.#current[of] = after;
  }

  listOf(of: number): Troubles {
    return { partition: of, at: this.now, troubles: [...this.#current[of]!.values()] };
  }

  take(list: Troubles): void {
    if (list.at <= (this.#heard.get(list.partition)?.at ?? 0)) return;
    this.#heard.set(list.partition, list);
    this.incidents = updateIncidents(this.incidents, list, 0, this.now);
  }

  tell(): void {
    const due = dueChanges(this.incidents, this.timing, this.now);
    this.incidents = due.incidents;
    const known = new Set([...this.#heard.values()].flatMap(({ troubles }) => troubles.map(({ key }) => key)));
    for (const { type, key } of due.changes) expect(known.has(key)).toBe(type !== "Ended");
    this.told.push(...due.changes.map((change) => ({ ...change, at: this.now })));
    expect(due.wakeAt === undefined || due.wakeAt > this.now).toBe(true);
  }

  /** Both report the current state, and all that waits is sent. */
  comeToRest(): void {
    for (const of of [0, 1]) this.do({ type: "send", partition: of, copies: 1, isKept: false });
    for (let wait = 0; wait < 3; wait += 1) this.do({ type: "wait", ms: 200_000 });
  }

  wrongNow(): string[] {
    return [...new Set(this.#current.flatMap((all) => [...all.keys()]))].sort();
  }
}

function kindOf(key: string, isWorse: boolean): TroubleKind {
  if (key.startsWith("region")) return "RegionSilent";
  if (key.startsWith("cluster")) return "ClusterUnreachable";
  return isWorse ? "RecordCritical" : "RecordDegraded";
}

const runs = fc.tuple(timing, fc.array(step, { maxLength: 80, size: "max" }));

it("each incident that is told has one beginning, and at most one turn for the worse and one end, in order", () => {
  fc.assert(
    fc.property(runs, ([rules, steps]) => {
      const scene = new Scene(rules);
      for (const one of steps) scene.do(one);
      for (const [, told] of Map.groupBy(scene.told, ({ incident }) => incident)) {
        expect(told.map(({ type }) => type).join(" ")).toMatch(/^Began( Worsened)?( Ended)?$/);
        expect(told.every(({ at, since }) => at - since >= rules.minDurationMs)).toBe(true);
      }
    }),
    { numRuns: propertyRuns(1_000) },
  );
});

it("of one thing the next incident begins after the last one has ended", () => {
  fc.assert(
    fc.property(runs, ([rules, steps]) => {
      const scene = new Scene(rules);
      for (const one of steps) scene.do(one);
      for (const [, told] of Map.groupBy(scene.told, ({ key }) => key)) {
        const ends = told.filter(({ type }) => type !== "Worsened").map(({ type }) => type);
        expect(ends).toEqual(ends.map((_, index) => (index % 2 === 0 ? "Began" : "Ended")));
      }
    }),
    { numRuns: propertyRuns(1_000) },
  );
});

it("at rest those stand as begun that are there, and nothing waits", () => {
  fc.assert(
    fc.property(runs, ([rules, steps]) => {
      const scene = new Scene(rules);
      for (const one of steps) scene.do(one);
      scene.comeToRest();
      const last = new Map(scene.told.map(({ key, type }) => [key, type]));
      const begun = [...last].filter(([, type]) => type !== "Ended").map(([key]) => key);
      expect(begun.sort()).toEqual(scene.wrongNow());
      expect(dueChanges(scene.incidents, rules, scene.now).wakeAt).toBeUndefined();
    }),
    { numRuns: propertyRuns(1_000) },
  );
});

it("nothing that lasts is told later than both durations allow", () => {
  fc.assert(
    fc.property(
      timing,
      wrong,
      fc.array(fc.integer({ min: 1, max: 20_000 }), { maxLength: 30, size: "max" }),
      (rules, all, waits) => {
        const scene = new Scene(rules);
        scene.do({ type: "turn", partition: 0, wrong: all });
        scene.do({ type: "send", partition: 0, copies: 1, isKept: false });
        for (const ms of waits) {
          const due = dueChanges(scene.incidents, rules, scene.now).wakeAt;
          if (due !== undefined && due <= scene.now + ms) scene.now = due - 1;
          else scene.now += ms;
          scene.do({ type: "wait", ms: 0 });
        }
        for (const { at, since } of scene.told) {
          expect(at - since).toBeLessThanOrEqual(rules.minDurationMs + rules.groupWindowMs + 3);
        }
      },
    ),
  );
});
