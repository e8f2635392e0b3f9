import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeApi, FakeCache } from "../../test/support/fake-api.ts";
import { DNS_ENDPOINT } from "../kubernetes/kinds.ts";
import type { Desired } from "./desired.ts";
import { Writer } from "./writer.ts";

const REF = { name: "a", namespace: "shop" };
const LABELS = { "app.kubernetes.io/managed-by": "vedette-agent" };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pointingTo = (target: string): Desired => ({
  wanted: [
    {
      type: "Object",
      kind: DNS_ENDPOINT,
      object: {
        apiVersion: "externaldns.k8s.io/v1alpha1",
        kind: "DNSEndpoint",
        metadata: { ...REF, labels: LABELS },
        spec: { endpoints: [{ dnsName: "a.test", recordType: "A", recordTTL: 60, targets: [target] }] },
      },
    },
  ],
  scopes: [{ kind: DNS_ENDPOINT, labels: LABELS }],
});

function setUp() {
  const api = new FakeApi();
  const cache = new FakeCache(api);
  const logged: string[] = [];
  const writer = new Writer({
    client: api,
    cacheOf: () => cache,
    isSynced: () => true,
    windowMs: 1_000,
    concurrency: 4,
    refreshesPerSecond: 2,
    log: (_, message) => logged.push(message),
    random: () => 0.5,
    onFailureChange: () => {},
  });
  const target = () => JSON.stringify(api.objects.get("shop/a")?.spec);
  let generation = 0;
  /** The watch has not delivered yet what happens between the look and the write. */
  const overtake = () => {
    api.failure = ({ verb }) => {
      generation += 1;
      if (verb === "apply")
        api.change(REF, (object) => Object.assign(object, { status: { observedGeneration: generation } }));
      return undefined;
    };
  };
  return { api, cache, logged, writer, target, overtake };
}

test("what others change faster than we can write is told, tried every few seconds, and written as soon as they rest", async () => {
  const { api, logged, writer, target, overtake } = setUp();
  await writer.publish(pointingTo("192.0.2.1"));
  overtake();
  const before = api.writes.length;
  const failures = await writer.publish(pointingTo("192.0.2.2"));
  expect(failures).toMatchObject([{ reason: "Unavailable", message: expect.stringContaining("another writer") }]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(api.writes.length - before).toBeLessThan(30);
  expect(target()).toContain("192.0.2.1");

  let isFlushed = false;
  const flushed = writer.flushed().then(() => {
    isFlushed = true;
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isFlushed).toBe(false);
  api.failure = () => undefined;
  await vi.advanceTimersByTimeAsync(4_000);
  await flushed;
  expect(target()).toContain("192.0.2.2");
  expect(writer.failures).toEqual([]);
  expect(logged).toEqual([]);
  await writer.stop();
});

test("what another replica wrote first, as it is wanted, is no trouble", async () => {
  const { api, cache, writer } = setUp();
  const { wanted } = pointingTo("192.0.2.1");
  for (const one of wanted) if (one.type === "Object") api.set(one.object);
  // Neither the write nor what it was about has been seen here.
  expect(cache.get(REF)).toBeUndefined();
  expect(await writer.publish(pointingTo("192.0.2.1"))).toEqual([]);
  expect(await writer.publish(pointingTo("192.0.2.1"))).toEqual([]);
  await writer.stop();
});

test("what was overtaken and is wanted no more is no trouble", async () => {
  const { api, cache, writer, overtake } = setUp();
  await writer.publish(pointingTo("192.0.2.1"));
  overtake();
  expect(await writer.publish(pointingTo("192.0.2.2"))).toHaveLength(1);
  api.remove(REF);
  cache.sync();
  expect(await writer.publish({ ...pointingTo("192.0.2.2"), wanted: [] })).toEqual([]);
  await writer.stop();
});

test("what was overtaken is tried at once when there is haste", async () => {
  const { api, writer, target, overtake } = setUp();
  await writer.publish(pointingTo("192.0.2.1"));
  overtake();
  await writer.publish(pointingTo("192.0.2.2"));
  api.failure = () => undefined;
  expect(await writer.publish(pointingTo("192.0.2.2"))).toEqual([]);
  expect(target()).toContain("192.0.2.2");
  await writer.stop();
});
