import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Election } from "./election.ts";
import { KubeError } from "./errors.ts";
import type { KubeObject } from "./object.ts";

const fail = (code: number, reason: string) =>
  new KubeError({ verb: "replace", what: "leases" }, { code, reason, message: "so it is" });

/** One Lease on a server that guards writes by resourceVersion. */
class FakeServer {
  lease: KubeObject | undefined;
  version = 0;
  isAway = false;
  writes = 0;

  readonly client = {
    get: async () => this.#answer(() => this.lease),
    create: async (_: unknown, object: KubeObject) =>
      this.#answer(() => {
        if (this.lease) throw fail(409, "AlreadyExists");
        return this.#store(object);
      }),
    replace: async (_: unknown, object: KubeObject) =>
      this.#answer(() => {
        if (!this.lease) throw fail(404, "NotFound");
        if (object.metadata.resourceVersion !== this.lease.metadata.resourceVersion) throw fail(409, "Conflict");
        return this.#store(object);
      }),
  };

  #store(object: KubeObject): KubeObject {
    this.writes += 1;
    this.version += 1;
    this.lease = { ...object, metadata: { ...object.metadata, resourceVersion: `${this.version}` } };
    return this.lease;
  }

  #answer<T>(work: () => T): T {
    if (this.isAway) throw fail(0, "ECONNREFUSED");
    return work();
  }
}

let server: FakeServer;
let said: string[];
let elections: Election[];

const elect = (identity: string, more: Partial<ConstructorParameters<typeof Election>[0]> = {}) => {
  const election = new Election({
    client: server.client,
    name: "leader",
    namespace: "vedette",
    identity,
    annotations: { "vedette.dev/forward-to": `http://${identity}` },
    leaseMs: 10_000,
    renewMs: 3_000,
    onLeader: () => said.push(`${identity} leads`),
    onLost: () => said.push(`${identity} lost`),
    log: (level, message) => level === "warn" && said.push(message),
    now: Date.now,
    elapsedMs: () => performance.now(),
    random: () => 0.5,
    ...more,
  });
  elections.push(election);
  election.start();
  return election;
};
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers();
  server = new FakeServer();
  said = [];
  elections = [];
});
afterEach(async () => {
  server.isAway = false;
  await Promise.all(elections.map((election) => election.stop()));
  vi.useRealTimers();
});

test("the first leads, the second follows and knows where to forward", async () => {
  const a = elect("a");
  await pass(0);
  const b = elect("b");
  await pass(60_000);
  expect([a.isLeader, b.isLeader, said]).toEqual([true, false, ["a leads"]]);
  expect(b.leader).toMatchObject({ identity: "a", annotations: { "vedette.dev/forward-to": "http://a" } });
  expect(a.leader?.identity).toBe("a");
  expect(server.writes).toBe(21);
});

test("given back, it passes within the second poll", async () => {
  const a = elect("a");
  await pass(0);
  const b = elect("b");
  await pass(5_000);
  await a.stop();
  expect([said, b.leader?.identity]).toEqual([["a leads", "a lost"], "a"]);
  await pass(1_100);
  expect([b.isLeader, b.leader?.annotations["vedette.dev/forward-to"]]).toEqual([true, "http://b"]);
});

test("a leader that dies is followed after the Lease's time, and not before", async () => {
  let isDead = false;
  const dying = {
    ...server.client,
    replace: (...args: Parameters<typeof server.client.replace>) =>
      isDead ? new Promise<never>(() => {}) : server.client.replace(...args),
  };
  elect("a", { client: dying });
  await pass(0);
  const b = elect("b");
  await pass(4_000);
  isDead = true;
  await pass(9_000 - 1_001);
  expect(b.isLeader).toBe(false);
  await pass(3_100);
  expect([b.isLeader, said.slice(0, 3)]).toEqual([true, ["a leads", "a lost", "b leads"]]);
  elections.shift();
});

test("without the API server the leader gives up before its time is over, and leads again after", async () => {
  const a = elect("a");
  await pass(3_100);
  server.isAway = true;
  await pass(7_800);
  expect(a.isLeader).toBe(true);
  await pass(200);
  expect([a.isLeader, said]).toEqual([
    false,
    ["a leads", expect.stringContaining("cannot use its Lease vedette/leader: ECONNREFUSED"), "a lost"],
  ]);
  server.isAway = false;
  await pass(1_300);
  expect(a.isLeader).toBe(true);
});

test("a process that was held up does not believe that it leads, before any timer could run", async () => {
  let heldUpMs = 0;
  const a = elect("a", { elapsedMs: () => performance.now() + heldUpMs });
  await pass(3_100);
  expect(a.isLeader).toBe(true);
  heldUpMs = 60_000;
  expect([a.isLeader, said]).toEqual([false, ["a leads"]]);
});

describe("a Lease that others touch", () => {
  test("taken away by hand, the leader stops at its next renewal", async () => {
    const a = elect("a");
    await pass(100);
    await server.client.replace(undefined, {
      ...server.lease!,
      spec: { holderIdentity: "x", leaseDurationSeconds: 10 },
    });
    await pass(3_000);
    expect([a.isLeader, said]).toEqual([false, ["a leads", "a lost"]]);
  });

  test("annotated by hand, the leader goes on and keeps what was added", async () => {
    const a = elect("a");
    await pass(100);
    const { metadata } = server.lease!;
    await server.client.replace(undefined, {
      ...server.lease!,
      metadata: { ...metadata, annotations: { note: "hi" } },
    });
    await pass(3_000);
    expect([a.isLeader, said]).toEqual([true, ["a leads"]]);
    expect(server.lease?.metadata.annotations).toEqual({ note: "hi", "vedette.dev/forward-to": "http://a" });
  });

  test("deleted, a follower waits until the leader's time would be over", async () => {
    const a = elect("a");
    await pass(0);
    const b = elect("b");
    await pass(2_900);
    server.lease = undefined;
    await pass(2_000);
    expect([a.isLeader, b.isLeader, said]).toEqual([true, false, ["a leads"]]);
  });
});

test("a renewal whose answer is lost is found to be ours", async () => {
  let isLossy = false;
  const lossy = {
    ...server.client,
    replace: async (...args: Parameters<typeof server.client.replace>) => {
      const answer = await server.client.replace(...args);
      if (isLossy) throw fail(0, "Timeout");
      return answer;
    },
  };
  const a = elect("a", { client: lossy });
  await pass(100);
  isLossy = true;
  await pass(3_000);
  isLossy = false;
  await pass(30_000);
  expect([a.isLeader, said.filter((line) => line.startsWith("a "))]).toEqual([true, ["a leads"]]);
});

test("one that was never chosen writes nothing when it stops", async () => {
  elect("a");
  await pass(0);
  const b = elect("b");
  await pass(1_500);
  const { writes } = server;
  await b.stop();
  expect(server.writes).toBe(writes);
});
