import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { apiError, FakeApi, FakeCache } from "../../test/support/fake-api.ts";
import { DNS_ENDPOINT, DNS_HEALTH_CHECK_PROBE, DNS_RECORD } from "../kubernetes/kinds.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import type { Desired, Wanted, WantedObject } from "./desired.ts";
import { Writer } from "./writer.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests reach into what the API leaves open.
type Loose = KubeObject & { spec: any; status: any };

const LABELS = { "app.kubernetes.io/managed-by": "vedette-agent" };
const PROBES = [{ kind: DNS_HEALTH_CHECK_PROBE, labels: LABELS }];
const ENDPOINTS = [{ kind: DNS_ENDPOINT, labels: LABELS }];
const MINUTE = 60_000;

let api: FakeApi;
let cache: FakeCache;
let logged: string[];
let troubled: string[][];
let isSynced: boolean;
let mayWrite: boolean;
let writer: Writer;

beforeEach(() => {
  vi.useFakeTimers();
  api = new FakeApi();
  cache = new FakeCache(api);
  logged = [];
  troubled = [];
  isSynced = true;
  mayWrite = true;
  api.onWritten = () => queueMicrotask(sync);
  writer = new Writer({
    client: api,
    cacheOf: () => cache,
    isSynced: () => isSynced,
    mayWrite: () => mayWrite,
    windowMs: 1_000,
    concurrency: 4,
    refreshesPerSecond: 2,
    log: (_, message) => logged.push(message),
    random: () => 0.5,
    onFailureChange: (kind) => troubled.push(writer.failures.map(({ reason }) => `${kind.kind} ${reason}`)),
  });
});

afterEach(async () => {
  await writer.stop();
  vi.useRealTimers();
});

function sync() {
  for (const ref of cache.sync()) for (const kind of [DNS_ENDPOINT, DNS_HEALTH_CHECK_PROBE]) writer.changed(kind, ref);
}

/** Another writer does something, and the watch says so. */
function others(act: () => void) {
  act();
  sync();
}

const probe = (name: string, status: object = { healthy: true }): WantedObject => ({
  type: "Object",
  kind: DNS_HEALTH_CHECK_PROBE,
  object: {
    apiVersion: "vedette.dev/v1alpha1",
    kind: "DNSHealthCheckProbe",
    metadata: { name, namespace: "shop", labels: LABELS },
    spec: { address: name },
  },
  status,
});
const endpoint = (name: string, targets: string[], dnsName = `${name}.test`): WantedObject => ({
  type: "Object",
  kind: DNS_ENDPOINT,
  object: {
    apiVersion: "externaldns.k8s.io/v1alpha1",
    kind: "DNSEndpoint",
    metadata: { name, namespace: "shop", labels: LABELS },
    spec: { endpoints: [{ dnsName, recordType: "A", recordTTL: 60, targets }] },
  },
});
const probes = (...wanted: Wanted[]): Desired => ({ wanted, scopes: PROBES });
const endpoints = (...wanted: Wanted[]): Desired => ({ wanted, scopes: ENDPOINTS });
const at = (name: string) => api.objects.get(`shop/${name}`) as Loose | undefined;
const verbs = () => api.writes.map(({ verb, name }) => `${verb} ${name}`);
const later = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe("wanted statuses and probes", () => {
  test("are created with their status, and written no more while nothing changes", async () => {
    writer.want(probes(probe("a"), probe("b")));
    await later(0);
    expect(verbs().toSorted()).toEqual(["apply shop/a", "apply shop/b", "apply status shop/a", "apply status shop/b"]);
    for (let round = 0; round < 100; round += 1) {
      writer.want(probes(probe("a"), probe("b")));
      await later(1_000);
    }
    expect(api.writes).toHaveLength(4);
    await writer.flushed();
  });

  test("leave at once, and then once a window with the newest of what was wanted", async () => {
    writer.want(probes(probe("a", { n: 0 })));
    await later(0);
    const before = api.writes.length;
    for (let n = 1; n <= 50; n += 1) {
      writer.want(probes(probe("a", { n })));
      await later(50);
    }
    await later(2_000);
    expect(at("a")?.status).toEqual({ n: 50 });
    expect(api.writes.length - before).toBeLessThanOrEqual(4);
  });

  test("go when nobody wants them any more; foreign ones, and those of other kinds of label, stay", async () => {
    writer.want(probes(probe("a"), probe("b")));
    await later(0);
    others(() => api.set({ ...probe("c").object, metadata: { name: "c", namespace: "shop" } }));
    writer.want(probes(probe("a")));
    await later(2_000);
    expect([...api.objects.keys()]).toEqual(["shop/a", "shop/c"]);
  });

  test("are not deleted before all has been read", async () => {
    writer.want(probes(probe("a")));
    await later(0);
    isSynced = false;
    writer.want(probes());
    await later(MINUTE);
    expect(at("a")).toBeDefined();
    isSynced = true;
    await later(2_000);
    expect(at("a")).toBeUndefined();
  });

  test("are not touched before the cache is filled", async () => {
    cache.isSynced = false;
    writer.want(probes(probe("a")));
    await later(MINUTE);
    expect(api.calls).toEqual([]);
    cache.isSynced = true;
    await later(2_000);
    expect(at("a")).toBeDefined();
  });

  test("end at once when this replica leads no more, also those that wait for their turn", async () => {
    const many = Array.from({ length: 20 }, (_, index) => probe(`p${index}`));
    api.gate = ({ verb }) => {
      if (verb === "apply") mayWrite = false;
      return undefined;
    };
    writer.want(probes(...many));
    await later(MINUTE);
    expect(api.writes.length).toBeLessThanOrEqual(4);
  });

  test("wait with check times for their turn, so many a second", async () => {
    const named = (checked: string) => ["a", "b", "c", "d"].map((name) => probe(name, { lastCheckedAt: checked }));
    writer.want(probes(...named("1")));
    await later(0);
    const before = api.writes.length;
    writer.want(probes(...named("2")));
    await later(MINUTE);
    expect(api.writes).toHaveLength(before);
    writer.want(probes(...named("3")), { refreshTimes: true });
    await later(1_000);
    expect(api.writes.length - before).toBeLessThanOrEqual(3);
    await later(3_000);
    expect(api.writes).toHaveLength(before + 4);
    expect(at("d")?.status).toEqual({ lastCheckedAt: "3" });
  });

  test("lose what is not said any more", async () => {
    writer.want(probes(probe("a", { healthy: false, reason: "Timeout" })));
    await later(0);
    writer.want(probes(probe("a", { healthy: true })));
    await later(1_000);
    expect(at("a")?.status).toEqual({ healthy: true });
  });

  test("of an object that was re-created meanwhile are not written to the new one", async () => {
    const old = api.set({ ...probe("r").object, metadata: { name: "r", namespace: "shop" } });
    sync();
    const uid = old.metadata.uid ?? "";
    api.remove({ name: "r", namespace: "shop" });
    api.set({ ...probe("r").object, metadata: { name: "r", namespace: "shop", uid: "new" } });
    writer.want({
      scopes: [],
      wanted: [{ type: "Status", kind: DNS_RECORD, ref: { name: "r", namespace: "shop", uid }, status: { a: 1 } }],
    });
    await later(MINUTE);
    expect(at("r")?.status).toBeUndefined();
    expect(api.writes.length).toBeLessThan(10);
  });

  test("of one object that fails hold up no other, and come when the API is back", async () => {
    api.failure = ({ name }) => (name === "shop/bad" ? apiError(503, "ServiceUnavailable") : undefined);
    writer.want(probes(probe("bad"), probe("a"), probe("b")));
    await later(0);
    expect(at("a")?.status).toEqual({ healthy: true });
    await later(10 * MINUTE);
    expect(api.calls.filter(({ name }) => name === "shop/bad").length).toBeLessThan(25);
    expect(logged).toHaveLength(1);
    api.failure = () => undefined;
    const flushed = writer.flushed();
    await later(MINUTE);
    await flushed;
    expect(at("bad")?.status).toEqual({ healthy: true });
    expect(logged).toHaveLength(2);
  });

  test("that the API refuses are told once and tried seldom, but at once when they are others", async () => {
    api.failure = ({ verb }) => (verb === "apply" ? apiError(422, "Invalid") : undefined);
    writer.want(probes(probe("a")));
    for (let minute = 0; minute < 10; minute += 1) {
      writer.want(probes(probe("a")));
      await later(MINUTE);
    }
    await writer.flushed();
    expect(api.writes.length).toBeLessThanOrEqual(3);
    expect(logged).toHaveLength(1);
    api.failure = () => undefined;
    const changed = probe("a");
    writer.want(probes({ ...changed, object: { ...changed.object, spec: { address: "other" } } }));
    await later(1_000);
    expect(at("a")?.spec).toEqual({ address: "other" });
  });

  test("in a namespace that ends are dropped without a word", async () => {
    const message = "unable to create new content in namespace shop because it is being terminated";
    api.failure = ({ verb }) => (verb === "apply" ? apiError(403, "Forbidden", message) : undefined);
    writer.want(probes(probe("a")));
    await later(MINUTE);
    await writer.flushed();
    expect(logged).toEqual([]);
    expect(api.writes.length).toBeLessThan(10);
  });

  test("that another writer changes again and again make no hot loop, and are ours once it stops", async () => {
    writer.want(probes(probe("a")));
    await later(0);
    const spoil = () =>
      api.change({ name: "a", namespace: "shop" }, (object) => {
        object.status = { healthy: false };
      });
    api.onWritten = () => queueMicrotask(() => others(spoil));
    others(spoil);
    const before = api.writes.length;
    await later(30 * MINUTE);
    expect(api.writes.length - before).toBeLessThan(50);
    expect(logged).toEqual([expect.stringContaining("again and again")]);
    api.onWritten = () => queueMicrotask(sync);
    await later(2 * MINUTE);
    expect(at("a")?.status).toEqual({ healthy: true });
  });
});

describe("what is not wanted", () => {
  test("is not deleted again while the cache does not see that it is gone", async () => {
    await writer.publish(endpoints(endpoint("a", ["192.0.2.1"])));
    api.onWritten = () => {};
    await writer.publish(endpoints());
    const before = api.writes.length;
    for (let second = 0; second < 30; second += 1) {
      await writer.publish(endpoints());
      await later(1_000);
    }
    expect(api.writes).toHaveLength(before);
  });

  test("and is wanted again at once is created again, also where the cache still sees the old one", async () => {
    await writer.publish(endpoints(endpoint("a", ["192.0.2.1"])));
    api.onWritten = () => {};
    await writer.publish(endpoints());
    await writer.publish(endpoints(endpoint("a", ["192.0.2.1"])));
    expect(at("a")).toBeDefined();
    expect(verbs()).toEqual(["apply shop/a", "delete shop/a", "apply shop/a"]);
  });

  test("and that somebody creates again and again makes no hot loop", async () => {
    const create = () => others(() => api.set(endpoint("a", ["192.0.2.1"]).object));
    await writer.publish(endpoints());
    api.onWritten = () => queueMicrotask(create);
    create();
    await later(30 * MINUTE);
    expect(api.writes.length).toBeLessThan(50);
    expect(logged).toEqual([expect.stringContaining("again and again")]);
  });
});

describe("published endpoints", () => {
  test("are written before the answer, whatever else is under way", async () => {
    const gate = Promise.withResolvers<void>();
    api.gate = ({ name }) => (name.startsWith("shop/p") ? gate.promise : undefined);
    writer.want(probes(...Array.from({ length: 20 }, (_, index) => probe(`p${index}`))));
    await later(0);
    expect(await writer.publish(endpoints(endpoint("a", ["192.0.2.1"])))).toEqual([]);
    expect(at("a")?.spec.endpoints[0].targets).toEqual(["192.0.2.1"]);
    gate.resolve();
  });

  test("of two calls at once both are written when the second answers", async () => {
    const both = [
      writer.publish(endpoints(endpoint("a", ["192.0.2.1"]))),
      writer.publish(endpoints(endpoint("a", ["192.0.2.2"]))),
    ];
    await later(0);
    await Promise.all(both);
    expect(at("a")?.spec.endpoints[0].targets).toEqual(["192.0.2.2"]);
  });

  test("that cannot be written are told as retryable, and written once they can be", async () => {
    api.failure = () => apiError(0, "ECONNREFUSED");
    const failures = await writer.publish(endpoints(endpoint("a", ["192.0.2.1"])));
    expect(failures).toMatchObject([{ reason: "Unavailable", isRetryable: true, ref: { name: "a" } }]);
    api.failure = () => undefined;
    expect(await writer.publish(endpoints(endpoint("a", ["192.0.2.1"])))).toEqual([]);
  });

  test("that are refused are told as not retryable", async () => {
    api.failure = ({ verb }) => (verb === "apply" ? apiError(404, "NotFound", "no such kind") : undefined);
    const failures = await writer.publish(endpoints(endpoint("a", ["192.0.2.1"])));
    expect(failures).toMatchObject([{ reason: "Refused", isRetryable: false }]);
  });

  test("of a name that another holds are not written, also where the cache does not see it", async () => {
    const foreign = { ...endpoint("a", ["203.0.113.1"]).object, metadata: { name: "a", namespace: "shop" } };
    api.set(foreign);
    for (const isSeen of [false, true]) {
      if (isSeen) sync();
      const failures = await writer.publish(endpoints(endpoint("a", ["192.0.2.1"])));
      expect(failures).toMatchObject([{ reason: "Foreign", isRetryable: false }]);
    }
    expect(at("a")?.spec).toEqual(foreign.spec);
    await writer.publish(endpoints());
    expect(at("a")?.spec).toEqual(foreign.spec);
  });

  test("are made as soon as the other of the name is gone, and that there is no trouble any more is told", async () => {
    api.set({ ...endpoint("a", ["203.0.113.1"]).object, metadata: { name: "a", namespace: "shop" } });
    sync();
    await writer.publish(endpoints(endpoint("a", ["192.0.2.1"])));
    expect(troubled).toEqual([["DNSEndpoint Foreign"]]);
    others(() => api.remove({ name: "a", namespace: "shop" }));
    await vi.advanceTimersByTimeAsync(0);
    expect(at("a")?.spec.endpoints[0].targets).toEqual(["192.0.2.1"]);
    expect(troubled).toEqual([["DNSEndpoint Foreign"], []]);
  });

  test("are never written empty", async () => {
    await writer.publish(endpoints(endpoint("a", ["192.0.2.1"])));
    const failures = await writer.publish(endpoints(endpoint("a", [])));
    expect(failures).toMatchObject([{ reason: "Refused" }]);
    expect(at("a")?.spec.endpoints[0].targets).toEqual(["192.0.2.1"]);
  });

  test("that go over to another record are there before they go here", async () => {
    await writer.publish(endpoints(endpoint("old", ["192.0.2.1"], "x.test")));
    await writer.publish(endpoints(endpoint("new", ["192.0.2.1"], "x.test")));
    expect(verbs().slice(-2)).toEqual(["apply shop/new", "delete shop/old"]);
  });

  test("stay here while the other record cannot take them over; others go meanwhile", async () => {
    await writer.publish(endpoints(endpoint("old", ["192.0.2.1"], "x.test"), endpoint("b", ["192.0.2.1"])));
    api.failure = ({ verb, name }) =>
      verb === "apply" && name === "shop/new" ? apiError(500, "InternalError") : undefined;
    await writer.publish(endpoints(endpoint("new", ["192.0.2.1"], "x.test")));
    expect([...api.objects.keys()]).toEqual(["shop/old"]);
    api.failure = () => undefined;
    await later(MINUTE);
    expect([...api.objects.keys()]).toEqual(["shop/new"]);
  });

  test("that somebody changes or deletes come back without another call", async () => {
    await writer.publish(endpoints(endpoint("a", ["192.0.2.1"]), endpoint("b", ["192.0.2.1"])));
    others(() =>
      api.change({ name: "a", namespace: "shop" }, ({ spec }) => ((spec as Loose["spec"]).endpoints[0].targets = [])),
    );
    others(() => api.remove({ name: "b", namespace: "shop" }));
    await later(2_000);
    expect(at("a")?.spec.endpoints[0].targets).toEqual(["192.0.2.1"]);
    expect(at("b")).toBeDefined();
  });

  test("that are kept are neither written nor deleted", async () => {
    await writer.publish(endpoints(endpoint("a", ["192.0.2.1"])));
    const writes = api.writes.length;
    await writer.publish(endpoints({ type: "Kept", kind: DNS_ENDPOINT, ref: { name: "a", namespace: "shop" } }));
    expect(api.writes).toHaveLength(writes);
  });
});
