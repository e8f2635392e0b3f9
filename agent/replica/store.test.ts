import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { DnsRecordStatus } from "../../shared/model/dns-record.ts";
import { delivered } from "../../test/support/agent/delivered.ts";
import { dnsRecord, recordsOf } from "../../test/support/agent/kube-objects.ts";
import { apiError, FakeApi, FakeCache } from "../../test/support/fake-api.ts";
import { Contact } from "../edge/contact.ts";
import { DNS_ENDPOINT, DNS_HEALTH_CHECK_PROBE, DNS_RECORD, type Kind } from "../kubernetes/kinds.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import { decidedAtOf } from "../publish/external-dns/endpoint-object.ts";
import { restoreState } from "../status/restore-state.ts";
import type { State } from "../status/state.ts";
import { Store, type StoreOptions } from "./store.ts";

const LABELS = { "app.kubernetes.io/managed-by": "vedette-agent" };
const A = { dnsName: "api.test", recordType: "A" as const, recordTTL: 60, targets: ["192.0.2.1"] };
const SETTINGS = { cluster: "one", edgeUrl: "https://edge.test", reconfigMaxDelayMs: 0 };

let apis: Map<Kind, FakeApi>;
let caches: Map<Kind, FakeCache>;
let record: KubeObject;
let store: Store;

beforeEach(() => {
  vi.useFakeTimers();
  const kinds = [DNS_RECORD, DNS_ENDPOINT, DNS_HEALTH_CHECK_PROBE];
  apis = new Map(kinds.map((kind) => [kind, new FakeApi()]));
  caches = new Map([...apis].map(([kind, api]) => [kind, new FakeCache(api)]));
  record = api(DNS_RECORD).set(dnsRecord({ name: "api", status: { conditions: [], published: [A] } }));
  const owner = { apiVersion: DNS_RECORD.apiVersion, kind: "DNSRecord", name: "api", uid: "uid-api", controller: true };
  const metadata = { namespace: "shop", labels: LABELS, ownerReferences: [owner] };
  const { apiVersion, kind } = DNS_ENDPOINT;
  api(DNS_ENDPOINT).set({ apiVersion, kind, metadata: { ...metadata, name: "api" }, spec: { endpoints: [A] } });
  api(DNS_HEALTH_CHECK_PROBE).set({ ...DNS_HEALTH_CHECK_PROBE, metadata: { ...metadata, name: "api-192.0.2.1" } });
  for (const cache of caches.values()) cache.sync();
  store = new Store(options(), state());
});
afterEach(async () => {
  await store.stop();
  vi.useRealTimers();
});

function api(kind: Kind): FakeApi {
  return apis.get(kind)!;
}

function options(): StoreOptions {
  const of = (kind: Kind) => caches.get(kind);
  return {
    settings: SETTINGS,
    client: {
      get: async (kind: Kind, ref: never) => apis.get(kind)?.get(kind, ref),
      apply: async (kind: Kind, object: KubeObject, how: never) => apis.get(kind)?.apply(kind, object, how) ?? object,
      delete: async (kind: Kind, ref: never, how: never) => apis.get(kind)?.delete(kind, ref, how),
    },
    caches: {
      of,
      records: of(DNS_RECORD),
      probes: of(DNS_HEALTH_CHECK_PROBE),
      endpoints: of(DNS_ENDPOINT),
      isSynced: true,
    },
    contact: new Contact(300_000, false, () => performance.now()),
    namespace: "vedette-system",
    identity: "agent-1",
    leads: () => true,
    isMember: () => true,
    withdrawing: () => undefined,
    onTime: () => {},
    metrics: { setRecords: () => {} },
    log: () => {},
  } as unknown as StoreOptions;
}

function state(): State {
  const edge = { url: SETTINGS.edgeUrl, cluster: SETTINGS.cluster };
  return restoreState({
    records: [record],
    probes: [],
    endpoints: [...api(DNS_ENDPOINT).objects.values()],
    lease: undefined,
    clusterUid: "uid",
    edge,
  });
}

const writes = (kind: Kind) => api(kind).writes.map(({ verb }) => verb);

describe("the store of a new leader", () => {
  test("touches nothing before the records were read: what is not known yet is not gone", async () => {
    store.showLeaving();
    store.show(true);
    await store.save({ ...state(), serial: 7 });
    await vi.advanceTimersByTimeAsync(5_000);
    expect([DNS_RECORD, DNS_ENDPOINT, DNS_HEALTH_CHECK_PROBE].map(writes)).toEqual([[], [], []]);
  });

  test("that has stopped rejects what is not written: it must not be acknowledged, nor be noted in the Lease", async () => {
    store.takeSource(recordsOf([record]));
    await store.stop();
    await expect(store.save({ ...state(), serial: 7 })).rejects.toThrow("writes no more");
  });

  test("that ends writes first what DNS holds already and no status says yet: the next leader would take it back", async () => {
    store = new Store({ ...options(), settings: { ...SETTINGS, reconfigMaxDelayMs: 60_000 } } as StoreOptions, state());
    store.takeSource(recordsOf([record]));
    const [host] = Object.values(state().hosts);
    const published = (target: string) => ({ "api.test": { ...host, served: [{ ...A, targets: [target] }] } });
    await store.save({ ...state(), hosts: published("192.0.2.2") });
    await vi.advanceTimersByTimeAsync(1_000);
    const status = () => (api(DNS_RECORD).objects.get("shop/api")!.status as DnsRecordStatus).published;
    const before = status();
    const saving = store.save({ ...state(), hosts: published("192.0.2.3") });
    await saving;
    expect(status()).toEqual(before);
    await store.stop();
    expect(status()).toMatchObject([{ targets: ["192.0.2.3"] }]);
  });

  test("writes no DNSEndpoint for a newer decision by which it publishes the same", async () => {
    store.takeSource(recordsOf([record]));
    const save = (decidedAt: number, targets: string[]) => {
      const served = [{ ...A, targets }];
      const decision = { ...delivered("api.test", targets, { record: "shop/api" }), decidedAt };
      return store.save({ ...state(), hosts: { "api.test": { served, delivered: decision } } });
    };
    await save(2_000, ["192.0.2.2"]);
    await save(3_000, ["192.0.2.2"]);
    expect(writes(DNS_ENDPOINT)).toEqual(["apply"]);
    expect(decidedAtOf(api(DNS_ENDPOINT).objects.get("shop/api")!)).toBe(2_000);
  });

  test("says of a record that the API server refuses its DNSEndpoint: what was decided is not in DNS", async () => {
    store.takeSource(recordsOf([record]));
    const [host] = Object.values(state().hosts);
    const changed = { ...host, served: [{ ...A, targets: ["192.0.2.2"] }] };
    api(DNS_ENDPOINT).failure = ({ verb }) => (verb === "apply" ? apiError(422, "Invalid") : undefined);
    await store.save({ ...state(), hosts: { "api.test": changed } });
    await vi.advanceTimersByTimeAsync(5_000);
    const { conditions } = api(DNS_RECORD).objects.get("shop/api")!.status as DnsRecordStatus;
    expect(conditions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: "Ready", status: "False", reason: "PublisherConflict" }),
        expect.objectContaining({ type: "PublisherConflict", status: "True", reason: "RefusedObject" }),
      ]),
    );
  });
});
