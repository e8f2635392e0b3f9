import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  advance,
  recordOf,
  signed,
  signedSnapshot,
  stopClock,
  until,
  type World,
  withCluster,
} from "../../test/support/cluster.ts";

const MINUTE_MS = 60_000;

beforeEach(stopClock);
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

type Pushed = Awaited<ReturnType<World["push"]>>;
const receiptOf = (pushed: Pushed) => {
  if (!pushed.ok) throw new Error(`refused: ${JSON.stringify(pushed.problem)}`);
  return pushed.receipt;
};
const problemOf = (pushed: Pushed) => (pushed.ok ? "accepted" : (pushed.problem.type.split("/").at(-1) ?? ""));
const keysHeld = ({ coordinators }: World) => coordinators[0]?.held?.shares.map(({ name }) => name) ?? [];
const rowsWritten = async ({ state }: World, work: () => Promise<unknown>) => {
  const count = () => state.storage.sql.exec<{ n: number }>("SELECT total_changes() AS n").one().n;
  const before = count();
  await work();
  return count() - before;
};

describe("a snapshot", () => {
  it("is stored, numbered and handed on; unchanged, it writes no row and is not handed on again", async () => {
    await withCluster("stored", {}, async (world) => {
      const first = receiptOf(await world.push([recordOf("a"), recordOf("b")]));
      expect(first.records.map(({ line, record, conditions }) => [line, record, conditions[0]?.reason])).toEqual([
        [2, "shop/a", "Accepted"],
        [3, "shop/b", "Accepted"],
      ]);
      expect(keysHeld(world)).toEqual(["a", "b"]);
      const puts = world.coordinators[0]?.puts;
      advance(MINUTE_MS);
      let second: Pushed | undefined;
      const written = await rowsWritten(world, async () => {
        second = await world.push([recordOf("a"), recordOf("b")]);
      });
      expect(written).toBe(0);
      expect(second && receiptOf(second).etag).toBe(first.etag);
      expect(world.coordinators[0]?.puts).toBe(puts);
      advance(MINUTE_MS);
      const changed = await rowsWritten(world, () => world.push([recordOf("a"), recordOf("c")]));
      expect(changed).toBeGreaterThan(0);
      expect(world.etag).not.toBe(first.etag);
      expect(keysHeld(world)).toEqual(["a", "c"]);
    });
  });

  it("survives the loss of the object's memory between any two steps", async () => {
    await withCluster("evicted", {}, async (world) => {
      world.restart();
      const first = receiptOf(await world.push([recordOf("a")]));
      world.restart();
      expect(receiptOf(await world.push([recordOf("a")])).etag).toBe(first.etag);
      world.restart();
      receiptOf(await world.push([recordOf("a"), recordOf("b")]));
      world.restart();
      expect(await world.cluster.describe()).toMatchObject({ records: 2, clusterUid: "uid-1" });
      expect(keysHeld(world)).toEqual(["a", "b"]);
    });
  });

  it("is handed on by the alarm when the coordinator could not be reached, and answered all the same", async () => {
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
    await withCluster("unreachable", {}, async (world) => {
      const [coordinator] = world.coordinators;
      if (coordinator === undefined) return;
      coordinator.mode = "down";
      expect(receiptOf(await world.push([recordOf("a")])).records[0]?.conditions[0]?.status).toBe("True");
      expect(warned).toHaveBeenCalledWith(expect.stringContaining("a coordinator cannot be reached"));
      world.restart();
      coordinator.mode = "up";
      advance(MINUTE_MS);
      await world.cluster.alarm();
      expect(keysHeld(world)).toEqual(["a"]);
    });
  });

  it("is handed on again to a coordinator that has lost it", async () => {
    await withCluster("amnesia", {}, async (world) => {
      receiptOf(await world.push([recordOf("a")]));
      const [coordinator] = world.coordinators;
      if (coordinator === undefined) return;
      coordinator.held = undefined;
      coordinator.clusters.clear();
      advance(MINUTE_MS);
      await world.cluster.alarm();
      expect(keysHeld(world)).toEqual(["a"]);
      expect([...coordinator.clusters]).toEqual(["amnesia"]);
    });
  });

  it("goes to the partitions of its root hosts, and only to those that change", async () => {
    await withCluster("parted", { PARTITIONS: "4" }, async (world) => {
      const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
      receiptOf(await world.push(names.map((name) => recordOf(name))));
      const held = world.coordinators.map((coordinator) => coordinator.held?.shares.map(({ name }) => name) ?? []);
      expect(held.flat().sort()).toEqual(names);
      expect(held.filter((ofOne) => ofOne.length > 0).length).toBeGreaterThan(1);
      expect(world.coordinators.every(({ held: one }) => one !== undefined)).toBe(true);
      const before = world.coordinators.map(({ puts }) => puts);
      advance(MINUTE_MS);
      receiptOf(await world.push([...names, "i"].map((name) => recordOf(name))));
      expect(world.coordinators.map(({ puts }, index) => puts - (before[index] ?? 0)).sort()).toEqual([0, 0, 0, 1]);
    });
  });
});

describe("a record that moves to a root host of another partition", () => {
  it("leaves the one and comes to the other", async () => {
    await withCluster("moving", { PARTITIONS: "4" }, async (world) => {
      const holders = () => world.coordinators.flatMap(({ held }, index) => (held?.shares.length ? [index] : []));
      const under = (label: string) => ({ ...recordOf(label), name: "mover" });
      await world.push([under("a")]);
      const before = holders();
      for (const label of ["b", "c", "d", "e", "f"]) {
        advance(1_000);
        receiptOf(await world.push([under(label)]));
        expect(holders()).toHaveLength(1);
      }
      expect(before).toHaveLength(1);
    });
  });
});

describe("the signature of a snapshot", () => {
  it.each([
    ["4-min-ago", -4 * MINUTE_MS, "accepted"],
    ["30-s-ahead", 30_000, "accepted"],
    ["6-min-ago", -6 * MINUTE_MS, "TimestampTooOld"],
    ["6-min-ahead", 6 * MINUTE_MS, "TimestampTooNew"],
  ])("signed %s", async (name, offsetMs, outcome) => {
    await withCluster(`signed-${name}`, {}, async (world) => {
      expect(problemOf(await world.push([recordOf("a")], { signedAtMs: Date.now() + offsetMs }))).toBe(outcome);
    });
  });

  it("refuses another byte, another secret, another time, and times that are none", async () => {
    await withCluster("forged", {}, async (world) => {
      const good = signedSnapshot(world.secret, [recordOf("a")]);
      const put = async (change: Partial<typeof good>) =>
        problemOf(await world.cluster.putSnapshot({ ...good, ...change }));
      expect(await put({ body: good.body.replace("203.0.113.10", "203.0.113.11") })).toBe("SignatureInvalid");
      expect(await put({ webhookTimestamp: `${Number(good.webhookTimestamp) + 1}` })).toBe("SignatureInvalid");
      expect(await put({ webhookTimestamp: undefined })).toBe("SignatureMissing");
      expect(await put({ webhookTimestamp: "NaN" })).toBe("TimestampMalformed");
      expect(await put({ webhookTimestamp: "-5" })).toBe("TimestampMalformed");
      expect(await put({ webhookTimestamp: `${Date.now()}` })).toBe("TimestampTooNew");
      expect(await put({ webhookSignature: "v1,AAAA" })).toBe("SignatureInvalid");
      expect(world.coordinators[0]?.held).toBeUndefined();
      expect(await put({})).toBe("accepted");
    });
  });

  it("holds with both secrets while rotating, and with the old one no longer after the next rotation", async () => {
    await withCluster("rotated", {}, async (world) => {
      const old = world.secret;
      const rotated = await world.cluster.rotate();
      const fresh = rotated.ok ? rotated.secret : "";
      expect(problemOf(await world.push([recordOf("a")], { secret: old }))).toBe("accepted");
      expect(problemOf(await world.push([recordOf("a")], { secret: fresh }))).toBe("accepted");
      world.restart();
      await world.cluster.rotate();
      expect(problemOf(await world.push([recordOf("a")], { secret: old }))).toBe("SignatureInvalid");
      expect(problemOf(await world.push([recordOf("a")], { secret: fresh }))).toBe("accepted");
    });
  });

  it("makes a repetition of the same bytes change nothing", async () => {
    await withCluster("replayed", {}, async (world) => {
      const first = signedSnapshot(world.secret, [recordOf("a")]);
      const one = receiptOf(await world.cluster.putSnapshot(first));
      expect(receiptOf(await world.cluster.putSnapshot(first)).etag).toBe(one.etag);
      advance(1_000);
      const two = receiptOf(await world.push([recordOf("a"), recordOf("b")], { ifMatch: one.etag }));
      const replayed = await world.cluster.putSnapshot({ ...first, ifMatch: two.etag });
      expect(problemOf(replayed)).toBe("SnapshotOutdated");
      expect(problemOf(await world.cluster.putSnapshot({ ...first, ifMatch: "*" }))).toBe("SnapshotOutdated");
      expect(keysHeld(world)).toEqual(["a", "b"]);
    });
  });
});

describe("the tag of a snapshot", () => {
  it("keeps two agents from overwriting each other unseen, and lets one that restarted go on", async () => {
    await withCluster("tagged", {}, async (world) => {
      const one = receiptOf(await world.push([recordOf("a")]));
      advance(1_000);
      const untagged = await world.push([recordOf("b")], { ifMatch: null, instance: "agent-2" });
      expect([problemOf(untagged), !untagged.ok && untagged.etag]).toEqual(["SnapshotTagMissing", one.etag]);
      const two = receiptOf(await world.push([recordOf("b")], { ifMatch: one.etag, instance: "agent-2" }));
      advance(1_000);
      const overtaken = await world.push([recordOf("a")], { ifMatch: one.etag });
      expect([problemOf(overtaken), !overtaken.ok && overtaken.etag]).toEqual(["SnapshotOvertaken", two.etag]);
      expect(problemOf(await world.push([recordOf("a")], { ifMatch: `W/${two.etag}` }))).toBe("accepted");
    });
  });

  it("of an edge that has lost its memory is none, and the answer says so", async () => {
    await withCluster("forgetful", {}, async (world) => {
      const pushed = await world.push([recordOf("a")], { ifMatch: '"1.1"' });
      expect([problemOf(pushed), !pushed.ok && pushed.etag]).toEqual(["SnapshotOvertaken", undefined]);
      expect(problemOf(await world.push([recordOf("a")], { ifMatch: null }))).toBe("accepted");
    });
  });

  it("does not stop the repetition of a push whose answer was lost", async () => {
    await withCluster("lost-answer", {}, async (world) => {
      const one = receiptOf(await world.push([recordOf("a")]));
      const again = { ifMatch: one.etag, id: "push_lost" };
      receiptOf(await world.push([recordOf("a"), recordOf("b")], again));
      advance(5_000);
      expect(problemOf(await world.push([recordOf("a"), recordOf("b")], again))).toBe("accepted");
    });
  });
});

describe("the identity behind a name", () => {
  it("is bound by the first snapshot, and freed by an admin only", async () => {
    await withCluster("bound", {}, async (world) => {
      receiptOf(await world.push([recordOf("a")]));
      const other = { clusterUid: "uid-2" };
      expect(problemOf(await world.push([recordOf("a")], other))).toBe("ClusterIdentityMismatch");
      world.restart();
      expect(problemOf(await world.push([recordOf("a")], other))).toBe("ClusterIdentityMismatch");
      await world.cluster.rebind();
      expect(problemOf(await world.push([recordOf("a")], other))).toBe("accepted");
      expect(problemOf(await world.push([recordOf("a")]))).toBe("ClusterIdentityMismatch");
    });
  });

  it("shows two agents that push in turn, not one that was restarted", async () => {
    await withCluster("twins", {}, async (world) => {
      const pushAs = async (instance: string) => receiptOf(await world.push([recordOf("a")], { instance })).conditions;
      expect(await pushAs("one")).toEqual([]);
      expect(await pushAs("two")).toEqual([]);
      world.restart();
      expect(await pushAs("one")).toMatchObject([{ type: "DuplicateAgent", status: "True" }]);
      expect((await world.cluster.describe())?.conditions).toMatchObject([{ type: "DuplicateAgent" }]);
      await until(() => world.coordinators[0]?.events.length === 1);
      expect(world.coordinators[0]?.events).toMatchObject([{ type: "DuplicateAgent", cluster: "twins" }]);
      advance(11 * MINUTE_MS);
      expect(await pushAs("one")).toEqual([]);
    });
  });
});

describe("a snapshot that shrinks", () => {
  const many = ["a", "b", "c", "d", "e"].map((name) => recordOf(name));

  it("below half is refused until it comes unchanged a second time, signed later", async () => {
    await withCluster("shrinking", {}, async (world) => {
      receiptOf(await world.push(many));
      advance(1_000);
      const small = [recordOf("a"), recordOf("b")];
      const first = { ifMatch: world.etag ?? "", id: "small", signedAtMs: Date.now() };
      expect(problemOf(await world.push(small, first))).toBe("SnapshotShrunk");
      expect(problemOf(await world.push(small, first))).toBe("SnapshotShrunk");
      expect(keysHeld(world)).toHaveLength(5);
      world.restart();
      advance(1_000);
      expect(problemOf(await world.push([recordOf("a")]))).toBe("SnapshotShrunk");
      advance(1_000);
      expect(problemOf(await world.push(small))).toBe("SnapshotShrunk");
      advance(1_000);
      expect(problemOf(await world.push(small))).toBe("accepted");
      expect(keysHeld(world)).toEqual(["a", "b"]);
    });
  });

  it("to nothing is refused, also after a full one came in between; to half is not", async () => {
    await withCluster("emptied", {}, async (world) => {
      receiptOf(await world.push(many.slice(0, 2)));
      advance(1_000);
      expect(problemOf(await world.push([]))).toBe("SnapshotShrunk");
      advance(1_000);
      expect(problemOf(await world.push([recordOf("a")]))).toBe("accepted");
      advance(1_000);
      expect(problemOf(await world.push([]))).toBe("SnapshotShrunk");
      expect(problemOf(await world.push([], { allowShrink: true }))).toBe("accepted");
      expect(keysHeld(world)).toEqual([]);
    });
  });
});

describe("pull", () => {
  it("is signed over its target, and acknowledges", async () => {
    await withCluster("pulled", {}, async (world) => {
      const target = "/v1/clusters/pulled/delivery?after=0.0";
      const after = { epoch: 0, n: 0 };
      const pulled = await world.cluster.pull({ ...signed(world.secret, "p1", target), after });
      expect(pulled).toMatchObject({ ok: true, delivery: { kind: "Contact", number: { n: 0 } } });
      const forged = { ...signed(world.secret, "p1", target), body: target.replace("0.0", "9.9"), after };
      expect(await world.cluster.pull(forged)).toMatchObject({ ok: false, problem: { status: 401 } });
    });
  });
});
