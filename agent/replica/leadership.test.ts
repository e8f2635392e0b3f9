import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { apiError } from "../../test/support/fake-api.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import type { LeaderSession } from "./leader-session.ts";
import { Leadership, type LeadershipOptions } from "./leadership.ts";

const LEASE_MS = 10_000;

/** One Lease, whose writes are guarded by its version. */
const server = {
  lease: undefined as KubeObject | undefined,
  isAway: false,
  get: async () => server.answer(() => server.lease),
  create: async (_: unknown, object: KubeObject) => server.answer(() => server.store(object)),
  replace: async (_: unknown, object: KubeObject) =>
    server.answer(() => {
      const isNewest = object.metadata.resourceVersion === server.lease?.metadata.resourceVersion;
      if (!isNewest) throw apiError(409, "Conflict");
      return server.store(object);
    }),
  answer<Value>(work: () => Value): Value {
    if (server.isAway) throw apiError(0, "ECONNREFUSED");
    return work();
  },
  store(object: KubeObject): KubeObject {
    const version = Number(server.lease?.metadata.resourceVersion ?? 0) + 1;
    server.lease = { ...object, metadata: { ...object.metadata, resourceVersion: `${version}` } };
    return server.lease;
  },
};

let said: string[];
let all: Leadership[];

/** A replica whose work says when it begins, is abandoned and ends. */
function replica(
  name: string,
  begin: (term: LeaderSession, leads: () => boolean) => Promise<LeaderSession> = async (term) => term,
): Leadership {
  const term = {
    abandon: () => said.push(`${name} abandons`),
    stop: async () => {
      said.push(`${name} ends${server.lease?.spec && holder() === name ? ", leading" : ""}`);
    },
  } as unknown as LeaderSession;
  const options: LeadershipOptions = {
    client: server as unknown as LeadershipOptions["client"],
    cluster: "shop",
    namespace: "system",
    identity: name,
    forwardTo: `http://${name}:8788`,
    leaseMs: LEASE_MS,
    renewMs: 3_000,
    begin: async (leads) => {
      const begun = await begin(term, leads);
      said.push(`${name} begins`);
      return begun;
    },
    onChange: (isLeader) => said.push(`${name} ${isLeader ? "leads" : "follows"}`),
    log: () => {},
    now: Date.now,
    elapsedMs: () => performance.now(),
    random: () => 0.5,
  };
  const leadership = new Leadership(options);
  all.push(leadership);
  leadership.start();
  return leadership;
}

const holder = () => (server.lease?.spec as { holderIdentity?: string } | undefined)?.holderIdentity;
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers();
  server.lease = undefined;
  server.isAway = false;
  said = [];
  all = [];
});
afterEach(async () => {
  server.isAway = false;
  const stopped = Promise.all(all.map((one) => one.stop()));
  await pass(LEASE_MS);
  await stopped;
  vi.useRealTimers();
});

describe("leadership", () => {
  it("begins the work of the one that leads, and tells the other where to hand on", async () => {
    const a = replica("a");
    await pass(1_000);
    const b = replica("b");
    await pass(5_000);
    expect(said).toEqual(["a leads", "a begins"]);
    expect([a.term !== undefined, b.term]).toEqual([true, undefined]);
    expect([a.isLeader, b.isLeader, b.forwardTo]).toEqual([true, false, "http://a:8788"]);
    expect(server.lease?.metadata).toMatchObject({ name: "vedette-shop-leader", namespace: "system" });
  });

  it("tries again where the work cannot begin, as long as it leads", async () => {
    let tries = 0;
    const a = replica("a", async (term) => {
      tries += 1;
      if (tries < 3) throw new Error("cannot be read");
      return term;
    });
    await pass(500);
    expect([a.isLeader, a.term]).toEqual([true, undefined]);
    await pass(10_000);
    expect(tries).toBe(3);
    expect(a.term).toBeDefined();
  });

  it("ends the work before it gives the lease back, and the other begins at once", async () => {
    const a = replica("a");
    await pass(1_000);
    replica("b");
    await pass(4_000);
    const stopped = a.stop();
    await pass(5_000);
    await stopped;
    expect(said.slice(0, 3)).toEqual(["a leads", "a begins", "a ends, leading"]);
    expect(said).toContain("b begins");
    expect(a.term).toBeUndefined();
  });

  it("lost: abandons the work at once, before it has ended, and begins it anew once it leads again", async () => {
    const a = replica("a");
    await pass(1_000);
    server.isAway = true;
    await pass(LEASE_MS);
    expect([a.isLeader, a.term]).toEqual([false, undefined]);
    expect(said).toEqual(["a leads", "a begins", "a abandons", "a follows", "a ends, leading"]);
    server.isAway = false;
    await pass(LEASE_MS * 3);
    expect(said.slice(5)).toEqual(["a leads", "a begins"]);
    expect(a.term).toBeDefined();
  });

  it("lost while the work was still beginning: what began then is ended", async () => {
    let let_: (() => void) | undefined;
    replica("a", async (term) => {
      await new Promise<void>((resolve) => {
        let_ = resolve;
      });
      return term;
    });
    await pass(1_000);
    server.isAway = true;
    await pass(LEASE_MS);
    let_?.();
    await pass(1_000);
    expect(said).toEqual(["a leads", "a follows", "a begins", "a ends, leading"]);
  });

  it("lost and won again while the work was still beginning: that work knows that it is of a time before", async () => {
    let first: { leads: () => boolean; go: () => void } | undefined;
    const a = replica("a", async (term, leads) => {
      if (first !== undefined) return term;
      await new Promise<void>((resolve) => {
        first = { leads, go: resolve };
      });
      return term;
    });
    await pass(1_000);
    expect(first?.leads()).toBe(true);
    server.isAway = true;
    await pass(LEASE_MS);
    server.isAway = false;
    await pass(LEASE_MS);
    expect([a.isLeader, first?.leads()]).toEqual([true, false]);
    first?.go();
    await pass(1_000);
    expect(said.slice(-3)).toEqual(["a ends, leading", "a leads", "a begins"]);
  });
});
