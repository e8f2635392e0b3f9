import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { apiError } from "../../test/support/fake-api.ts";
import type { Kind } from "../kubernetes/kinds.ts";
import { type KubeObject, type ObjectRef, refKey } from "../kubernetes/object.ts";
import { systemClock } from "../runtime/clock.ts";
import { ApiServerClock } from "./api-server-clock.ts";
import { FINALIZER, type FinalizerClient } from "./finalizer.ts";
import { FinalizerController } from "./finalizer-controller.ts";

const MINUTE = 60_000;
const API_AHEAD_MS = 7 * 3_600_000;

/** An API server whose clock is hours ahead, with the finalizers of its records. */
class Records implements FinalizerClient {
  readonly objects = new Map<string, KubeObject>();
  readonly calls: string[] = [];
  failure: Error | undefined;
  /** Finalizers that another manager has applied too stay. */
  coOwned = false;
  #version = 0;

  get = ({ name }: ObjectRef) => this.at(name);
  list = () => [...this.objects.values()];
  put = (object: KubeObject) => this.objects.set(refKey(object.metadata), object);

  create(name: string, uid = `uid-${name}`, status?: unknown): void {
    const metadata = { name, namespace: "shop", uid, creationTimestamp: this.time() };
    this.put({ apiVersion: "vedette.dev/v1alpha1", kind: "DNSRecord", metadata, status });
  }

  remove(name: string): void {
    const object = this.at(name);
    if (object === undefined) return;
    if ((object.metadata.finalizers ?? []).length === 0) this.objects.delete(`shop/${name}`);
    else this.put({ ...object, metadata: { ...object.metadata, deletionTimestamp: this.time() } });
  }

  at = (name: string) => this.objects.get(`shop/${name}`);
  time = () => new Date(Date.now() + API_AHEAD_MS).toISOString();

  async apply(_kind: Kind, { metadata }: KubeObject): Promise<KubeObject> {
    this.calls.push(`apply ${refKey(metadata)} ${metadata.finalizers?.join() ?? "-"}`);
    if (this.failure) throw this.failure;
    const there = this.objects.get(refKey(metadata));
    if (there?.metadata.uid !== metadata.uid || there === undefined) throw apiError(409, "Conflict");
    const kept = this.coOwned ? (there.metadata.finalizers ?? []) : [];
    return this.#store(there, [...new Set([...kept, ...(metadata.finalizers ?? [])])]);
  }

  async replace(_kind: Kind, object: KubeObject): Promise<KubeObject> {
    this.calls.push(`replace ${refKey(object.metadata)}`);
    return this.#store(object, object.metadata.finalizers ?? []);
  }

  #store(object: KubeObject, finalizers: string[]): KubeObject {
    this.#version += 1;
    const next = { ...object, metadata: { ...object.metadata, finalizers, resourceVersion: String(this.#version) } };
    if (next.metadata.deletionTimestamp !== undefined && finalizers.length === 0)
      this.objects.delete(refKey(next.metadata));
    else this.put(next);
    return next;
  }
}

let api: Records;
let events: string[];
let logged: string[];
let isEdgeReachable: boolean;
let inDns: Set<string>;
let served: Set<string>;
let cycle: FinalizerController;

beforeEach(() => {
  vi.useFakeTimers();
  api = new Records();
  [events, logged, isEdgeReachable, inDns, served] = [[], [], true, new Set(), new Set()];
  cycle = start();
});
afterEach(async () => {
  await cycle.stop();
  vi.useRealTimers();
});

function start() {
  return new FinalizerController({
    client: api,
    records: api,
    apiClock: new ApiServerClock(() => performance.now()),
    deletionTimeoutMs: 5 * MINUTE,
    concurrency: 2,
    isEdgeReachable: () => isEdgeReachable,
    isServed: ({ metadata }) => served.has(metadata.name),
    isInDns: ({ metadata }) => inDns.has(metadata.name),
    onEvent: ({ metadata }, { type, reason }) => events.push(`${type} ${reason} ${metadata.name}`),
    log: (_, message) => logged.push(message),
    clock: systemClock,
    random: () => 0.5,
  });
}

const later = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const settle = () => {
  cycle.changed();
  return later(1_000);
};
const names = (...keys: string[]) => new Set(keys.map((key) => `shop/${key}`));

/** A record that the edge has taken. */
async function taken(name: string) {
  api.create(name);
  await settle();
  cycle.edgeStateChanged(names(name), names(name));
  await settle();
}

describe("a record", () => {
  test("takes part once its finalizer was read back, and with its uid", async () => {
    api.create("a");
    expect(api.list().filter((one) => cycle.isMember(one))).toEqual([]);
    await settle();
    expect(api.calls).toEqual([`apply shop/a ${FINALIZER}`]);
    expect(api.list().filter((one) => cycle.isMember(one))).toHaveLength(1);
    await settle();
    expect(api.calls).toHaveLength(1);
  });

  test("takes part at once while its host is in DNS, for it may take over from another; not when it is deleted", async () => {
    api.create("a");
    served.add("a");
    expect(api.list().filter((one) => cycle.isMember(one))).toHaveLength(1);
    await settle();
    api.remove("a");
    expect(api.list().filter((one) => cycle.isMember(one))).toEqual([]);
  });

  test("takes no part while the finalizer cannot be written, holds up no other, and makes no hot loop", async () => {
    api.create("a");
    api.failure = apiError(503, "ServiceUnavailable");
    await settle();
    await later(10 * MINUTE);
    expect(api.list().filter((one) => cycle.isMember(one))).toEqual([]);
    expect(api.calls.length).toBeLessThan(25);
    expect(logged).toHaveLength(1);
    api.failure = undefined;
    await later(MINUTE);
    expect(api.list().filter((one) => cycle.isMember(one))).toHaveLength(1);
    expect(logged).toHaveLength(2);
  });

  test("is claimed with five hundred others, two at a time", async () => {
    for (let n = 0; n < 500; n += 1) api.create(`r${n}`);
    cycle.changed();
    await later(10_000);
    expect(api.list().filter((one) => cycle.isMember(one))).toHaveLength(500);
    expect(api.calls).toHaveLength(500);
  });

  test("is withdrawn before it goes", async () => {
    await taken("a");
    api.remove("a");
    await settle();
    expect(cycle.conditionOf(api.at("a") as KubeObject)).toMatchObject({
      type: "Withdrawn",
      status: "False",
      reason: "Withdrawing",
    });
    cycle.edgeStateChanged(names(), names("a"));
    await settle();
    expect(api.at("a")).toBeDefined();
    cycle.edgeStateChanged(names(), names());
    await settle();
    expect(api.at("a")).toBeUndefined();
    expect(events).toEqual(["Normal Withdrawn a"]);
  });

  test("goes on after a restart where it was", async () => {
    await taken("a");
    api.put({ ...(api.at("a") as KubeObject), status: { decision: {} } });
    api.remove("a");
    await cycle.stop();
    cycle = start();
    await settle();
    cycle.edgeStateChanged(names(), undefined);
    await settle();
    expect(api.at("a")).toBeDefined();
    cycle.edgeStateChanged(names(), names());
    await settle();
    expect(api.at("a")).toBeUndefined();
  });

  test("goes without the edge in the end, by the API's time and not by the clock here", async () => {
    await taken("a");
    isEdgeReachable = false;
    api.remove("a");
    await settle();
    expect(cycle.conditionOf(api.at("a") as KubeObject)).toMatchObject({ reason: "EdgeUnreachable" });
    await later(5 * MINUTE - 2_000);
    expect(api.at("a")).toBeDefined();
    await later(2_000);
    expect(api.at("a")).toBeUndefined();
    expect(events).toEqual(["Warning ReleasedWithoutEdge a"]);
  });

  test("does not wait anew at each restart while the API's time is seen to go on", async () => {
    await taken("a");
    api.remove("a");
    for (let restart = 0; restart < 4; restart += 1) {
      await cycle.stop();
      cycle = start();
      api.put({ ...(api.at("a") as KubeObject), status: { decision: {} } });
      api.create("clock");
      await settle();
      await later(MINUTE);
    }
    await later(MINUTE);
    expect(api.at("a")).toBeUndefined();
  });

  test("that the edge never took goes at once, but not before DNS has let go of it", async () => {
    api.create("a");
    await settle();
    inDns.add("a");
    api.remove("a");
    await settle();
    expect(api.at("a")).toBeDefined();
    inDns.clear();
    await settle();
    expect(api.at("a")).toBeUndefined();
  });

  test("goes also where somebody else has applied the finalizer too", async () => {
    await taken("a");
    api.coOwned = true;
    api.remove("a");
    cycle.edgeStateChanged(names(), names());
    await settle();
    expect(api.at("a")).toBeUndefined();
    expect(api.calls.slice(-2)).toEqual(["apply shop/a -", "replace shop/a"]);
  });

  test("that was created again under its name is another one", async () => {
    await taken("a");
    api.objects.delete("shop/a");
    api.create("a", "uid-new");
    expect(cycle.isMember(api.at("a") as KubeObject)).toBe(false);
    await settle();
    expect(cycle.isMember(api.at("a") as KubeObject)).toBe(true);
  });
});
