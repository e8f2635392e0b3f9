import { describe, expect, it } from "vitest";
import { MINUTE, SECOND, trouble, withNotifier } from "../../test/support/notifier.ts";

const A = "record/a.example.com";
const B = "record/b.example.com";

describe("a trouble", () => {
  it("is told once when it has lasted minDuration, and its end once when that has", async () => {
    await withNotifier([{ name: "ops" }], async (scene) => {
      const a = trouble(A);
      await scene.tell([a]);
      await scene.pass(59 * SECOND);
      expect(await scene.told("ops")).toEqual([]);
      await scene.pass(SECOND);
      expect(await scene.told("ops")).toEqual([[`Began ${A}`]]);
      for (let minute = 0; minute < 5; minute += 1) await scene.tell([a], { after: MINUTE });
      await scene.tell([]);
      await scene.pass(59 * SECOND);
      expect(await scene.told("ops")).toEqual([[`Began ${A}`]]);
      await scene.pass(SECOND);
      await scene.tell([]);
      await scene.pass(10 * MINUTE);
      expect(await scene.told("ops")).toEqual([[`Began ${A}`], [`Ended ${A}`]]);
    });
  });

  it("that ends before it was told is never told", async () => {
    await withNotifier([{ name: "ops" }], async (scene) => {
      await scene.tell([trouble(A)]);
      await scene.tell([], { after: 50 * SECOND });
      await scene.pass(10 * MINUTE);
      expect(await scene.told("ops")).toEqual([]);
      expect(scene.rows()).toMatchObject({ incident: 0, message: 0 });
    });
  });

  it("that comes and goes faster than minDuration makes no message; once told, it makes one end", async () => {
    await withNotifier([{ name: "ops" }], async (scene) => {
      for (let turn = 0; turn < 5; turn += 1) {
        await scene.tell([trouble(A)], { after: 30 * SECOND });
        await scene.tell([], { after: 30 * SECOND });
      }
      expect(await scene.told("ops")).toEqual([]);
      await scene.tell([trouble(A)]);
      await scene.pass(MINUTE);
      for (let turn = 0; turn < 5; turn += 1) {
        await scene.tell([], { after: 30 * SECOND });
        await scene.tell([trouble(A)], { after: 30 * SECOND });
      }
      await scene.tell([]);
      await scene.pass(MINUTE);
      expect(await scene.told("ops")).toEqual([[`Began ${A}`], [`Ended ${A}`]]);
    });
  });

  it("that becomes worse is told once more, and its end as that of the worst", async () => {
    await withNotifier([{ name: "ops" }], async (scene) => {
      await scene.tell([trouble(A)]);
      await scene.pass(MINUTE);
      for (let turn = 0; turn < 3; turn += 1) {
        await scene.tell([trouble(A, { kind: "RecordCritical" })]);
        await scene.pass(MINUTE);
        await scene.tell([trouble(A)]);
        await scene.pass(MINUTE);
      }
      await scene.tell([]);
      await scene.pass(MINUTE);
      const bodies = (await scene.received("ops")).map(({ body }) => body as { changes: { kind: string }[] });
      expect(await scene.told("ops")).toEqual([[`Began ${A}`], [`Worsened ${A}`], [`Ended ${A}`]]);
      expect(bodies.map(({ changes }) => changes[0]?.kind)).toEqual([
        "RecordDegraded",
        "RecordCritical",
        "RecordCritical",
      ]);
    });
  });
});

describe("what begins within groupWindow", () => {
  it("goes into one message when the last of it is due, and so do the ends", async () => {
    await withNotifier([{ name: "ops" }], async (scene) => {
      const a = trouble(A, { since: Date.now() + 1 });
      await scene.tell([a]);
      const b = trouble(B, { since: Date.now() + 20 * SECOND });
      await scene.tell([a, b], { after: 20 * SECOND });
      const late = trouble("region/weur", { since: Date.now() + 20 * SECOND });
      await scene.tell([a, b, late], { after: 20 * SECOND });
      await scene.pass(39 * SECOND);
      expect(await scene.told("ops")).toEqual([]);
      await scene.pass(SECOND);
      expect(await scene.told("ops")).toEqual([[`Began ${A}`, `Began ${B}`]]);
      await scene.pass(20 * SECOND);
      await scene.tell([late]);
      await scene.pass(MINUTE);
      const told = [[`Began ${A}`, `Began ${B}`], ["Began region/weur"], [`Ended ${A}`, `Ended ${B}`]];
      expect(await scene.told("ops")).toEqual(told);
    });
  });

  it("waits for the window also where nothing has to last", async () => {
    await withNotifier([{ name: "ops", minDuration: "0s", groupWindow: "30s" }], async (scene) => {
      await scene.tell([trouble(A)]);
      await scene.pass(29 * SECOND);
      expect(await scene.told("ops")).toEqual([]);
      await scene.pass(SECOND);
      expect(await scene.told("ops")).toEqual([[`Began ${A}`]]);
    });
  });

  it("is no reason to wait where both are naught", async () => {
    await withNotifier([{ name: "ops", minDuration: "0s", groupWindow: "0s" }], async (scene) => {
      await scene.tell([trouble(A)]);
      await scene.tell([]);
      expect(await scene.told("ops")).toEqual([[`Began ${A}`], [`Ended ${A}`]]);
    });
  });
});

describe("partitions", () => {
  it("are taken each for itself; what both have lasts until neither has it", async () => {
    await withNotifier([{ name: "ops" }], async (scene) => {
      const silent = trouble("region/weur");
      await scene.tell([silent, trouble(A)], { partition: 0 });
      await scene.tell([silent], { partition: 1 });
      await scene.pass(MINUTE);
      await scene.tell([trouble(A)], { partition: 0 });
      await scene.pass(5 * MINUTE);
      expect(await scene.told("ops")).toEqual([["Began record/a.example.com", "Began region/weur"]]);
      await scene.tell([], { partition: 1 });
      await scene.pass(MINUTE);
      expect((await scene.told("ops")).slice(1)).toEqual([["Ended region/weur"]]);
    });
  });

  it("drop a list that is older than the last one, and say when that was made", async () => {
    await withNotifier([{ name: "ops", minDuration: "0s", groupWindow: "0s" }], async (scene) => {
      const newest = Date.now() + MINUTE;
      expect(await scene.tell([trouble(A)], { at: newest })).toBe(newest);
      expect(await scene.tell([], { at: newest - 1 })).toBe(newest);
      expect(await scene.tell([], { at: newest })).toBe(newest);
      expect(await scene.tell([], { partition: 1, at: 5 })).toBe(5);
      expect(await scene.told("ops")).toEqual([[`Began ${A}`]]);
    });
  });
});

describe("targets", () => {
  it("are told of the kinds and hosts that they name, each at its own pace", async () => {
    const quick = { minDuration: "0s", groupWindow: "0s" };
    const targets = [
      { name: "shop", hosts: ["*.shop.test"], ...quick },
      { name: "worst", kinds: ["RecordCritical"], ...quick },
      { name: "slow", minDuration: "10m" },
    ];
    await withNotifier(targets, async (scene) => {
      const all = [trouble(A), trouble("record/x.shop.test"), trouble("cluster/east")];
      await scene.tell(all);
      await scene.tell([{ ...all[0]!, kind: "RecordCritical" }, ...all.slice(1)]);
      await scene.tell([{ ...all[0]!, kind: "RecordDegraded" }, ...all.slice(1)]);
      expect(await scene.told("shop")).toEqual([["Began cluster/east", "Began record/x.shop.test"]]);
      expect(await scene.told("worst")).toEqual([[`Began ${A}`], [`Ended ${A}`]]);
      await scene.pass(10 * MINUTE);
      expect((await scene.told("slow")).flat()).toHaveLength(3);
    });
  });

  it("that are new are not told of what was there before, but of what becomes worse; those that stay are told nothing again", async () => {
    await withNotifier([{ name: "ops" }], async (scene) => {
      const all = [trouble(A), trouble(B)];
      await scene.tell(all);
      await scene.pass(MINUTE);
      scene.configure([{ name: "ops" }, { name: "new" }]);
      await scene.tell(all, { after: MINUTE });
      await scene.pass(10 * MINUTE);
      const worse = trouble(B, { kind: "RecordCritical" });
      await scene.tell([all[0]!, worse, trouble("region/weur")]);
      await scene.pass(MINUTE);
      await scene.tell([]);
      await scene.pass(MINUTE);
      expect(await scene.told("new")).toEqual([
        [`Began ${B}`, "Began region/weur"],
        [`Ended ${B}`, "Ended region/weur"],
      ]);
      expect(await scene.told("ops")).toEqual([
        [`Began ${A}`, `Began ${B}`],
        [`Worsened ${B}`, "Began region/weur"],
        [`Ended ${A}`, `Ended ${B}`, "Ended region/weur"],
      ]);
    });
  });

  it("that are gone are forgotten; where none is left nothing is kept and no alarm is set", async () => {
    await withNotifier([{ name: "ops" }, { name: "other" }], async (scene) => {
      await scene.tell([trouble(A)]);
      await scene.pass(MINUTE);
      scene.configure([{ name: "ops" }]);
      await scene.tell([]);
      await scene.pass(10 * MINUTE);
      expect(await scene.told("ops")).toEqual([[`Began ${A}`], [`Ended ${A}`]]);
      expect(await scene.told("other")).toEqual([[`Began ${A}`]]);
      scene.configure([]);
      await scene.heartbeat();
      await scene.pass(MINUTE);
      expect(scene.rows()).toMatchObject({ target: 0, incident: 0, message: 0 });
      expect(await scene.alarm()).toBeNull();
    });
  });

  it("that are written wrongly for a while are told of what began and ended meanwhile", async () => {
    await withNotifier([{ name: "ops" }, { name: "pager" }], async (scene) => {
      await scene.tell([trouble(A)]);
      await scene.pass(MINUTE);
      scene.configure([{ name: "ops" }, { name: "pager", kind: "carrier pigeon" }]);
      await scene.tell([trouble(B)]);
      await scene.pass(2 * MINUTE);
      scene.configure([{ name: "ops" }, { name: "pager" }]);
      await scene.tell([trouble(B)]);
      await scene.pass(2 * MINUTE);
      expect((await scene.told("ops")).flat().sort()).toEqual([`Began ${A}`, `Began ${B}`, `Ended ${A}`]);
      expect((await scene.told("pager")).flat().sort()).toEqual([`Began ${A}`, `Began ${B}`, `Ended ${A}`]);
    });
  });

  it("that were never there make no storage", async () => {
    await withNotifier([], async (scene) => {
      await scene.tell([trouble(A)]);
      await scene.pass(MINUTE);
      expect(scene.rows()).toEqual({});
    });
  });
});

describe("a loss of memory", () => {
  it("between any two steps changes nothing", async () => {
    await withNotifier([{ name: "ops" }], async (scene) => {
      const a = trouble(A);
      const steps = [
        () => scene.tell([a]),
        () => scene.pass(30 * SECOND),
        () => scene.pass(30 * SECOND),
        () => scene.tell([a], { after: MINUTE }),
        () => scene.tell([]),
        () => scene.pass(30 * SECOND),
        () => scene.pass(30 * SECOND),
        () => scene.tell([]),
        () => scene.pass(10 * MINUTE),
      ];
      for (const step of steps) {
        scene.restart();
        await step();
      }
      expect(await scene.told("ops")).toEqual([[`Began ${A}`], [`Ended ${A}`]]);
    });
  });

  it("and of the alarm is made good by the heartbeat; a row that cannot be read stops nothing", async () => {
    await withNotifier([{ name: "ops" }], async (scene) => {
      await scene.tell([trouble(A), trouble(B)]);
      const dueAt = await scene.alarm();
      expect(dueAt).toBe(Date.now() + MINUTE - 1);
      scene.storage().sql.exec("UPDATE incident SET value = 'nonsense' WHERE key = ?", A);
      await scene.storage().deleteAlarm();
      scene.restart();
      await scene.heartbeat();
      expect(await scene.alarm()).toBe(dueAt);
      await scene.pass(MINUTE);
      expect(await scene.told("ops")).toEqual([[`Began ${B}`]]);
    });
  });
});
