import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { DnsRecordStatus } from "../../shared/model/dns-record.ts";
import { delivered } from "../../test/support/agent/delivered.ts";
import { dnsRecord, recordsOf } from "../../test/support/agent/kube-objects.ts";
import { apiError, FakeApi, FakeCache } from "../../test/support/fake-api.ts";
import type { Writer } from "../apply/writer.ts";
import { DNS_ENDPOINT, DNS_HEALTH_CHECK_PROBE, DNS_RECORD, type Kind } from "../kubernetes/kinds.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import { decidedAtOf } from "../publish/external-dns/endpoint-object.ts";
import { makePublishers } from "../publish/publishers.ts";
import { StatePublisher } from "../publish/state-publisher.ts";
import type { SourceState } from "../sources/file-source.ts";
import { restoreState } from "../status/restore-state.ts";
import type { State } from "../status/state.ts";
import { ContactLease } from "./contact-lease.ts";
import { makeWriter } from "./controllers.ts";
import type { LeaderSessionOptions } from "./leader-session-options.ts";
import { StatusWriter } from "./status-writer.ts";

const LABELS = { "app.kubernetes.io/managed-by": "vedette-agent" };
const A = { dnsName: "api.test", recordType: "A" as const, recordTTL: 60, targets: ["192.0.2.1"] };
const SETTINGS = { cluster: "one", edgeUrl: "https://edge.test", reconfigMaxDelayMs: 0, kubernetes: true };

let apis: Map<Kind, FakeApi>;
let caches: Map<Kind, FakeCache>;
let record: KubeObject;
let writer: Writer;
let statuses: StatusWriter;
let output: StatePublisher;
let isStopping: boolean;

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
  setUp();
});
afterEach(async () => {
  await writer.stop();
  vi.useRealTimers();
});

function api(kind: Kind): FakeApi {
  return apis.get(kind)!;
}

/** What a leader writes with, on the fake API. */
function setUp(settings = SETTINGS) {
  const of = (kind: Kind) => caches.get(kind)!;
  const client = {
    get: async (kind: Kind, ref: never) => apis.get(kind)?.get(kind, ref),
    apply: async (kind: Kind, object: KubeObject, how: never) => apis.get(kind)?.apply(kind, object, how) ?? object,
    delete: async (kind: Kind, ref: never, how: never) => apis.get(kind)?.delete(kind, ref, how),
  };
  const log = () => {};
  const options = { settings, client, caches: { of, isSynced: true }, log } as unknown as LeaderSessionOptions;
  const showAgain = () => setImmediate(() => statuses.showAgain());
  writer = makeWriter(options, { mayWrite: () => true, onEndpointFailure: showAgain });
  const endpoints = of(DNS_ENDPOINT);
  const publishers = makePublishers({ settings: options.settings, serve: () => {}, writer, endpoints });
  const informers = { records: of(DNS_RECORD), probes: of(DNS_HEALTH_CHECK_PROBE) };
  statuses = new StatusWriter(
    {
      writer,
      informers: informers as never,
      publishers,
      events: { record: () => {} } as never,
      metrics: { setRecords: () => {} },
      isMember: () => true,
      deletionConditionOf: () => undefined,
    },
    state().records,
  );
  const lease = new ContactLease({
    client: client as never,
    namespace: "vedette-system",
    heardAt: () => undefined,
    onWritten: () => {},
  });
  isStopping = false;
  const assertMayWrite = () => {
    if (isStopping) throw new Error("writes no more");
  };
  const show = (next: State, read: SourceState) => statuses.show(next, read);
  output = new StatePublisher({ publishers, save: (next) => lease.write(next), show, assertMayWrite, log });
}

const source = (): SourceState => ({ complete: true, ...recordsOf([record]) });

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

describe("a new leader", () => {
  test("touches nothing before the records were read: what is not known yet is not gone", async () => {
    statuses.showDeletions();
    statuses.showAgain({ refreshTimes: true });
    await output.store({ ...state(), serial: 7 }, { complete: false, records: [], problems: [] });
    await vi.advanceTimersByTimeAsync(5_000);
    expect([DNS_RECORD, DNS_ENDPOINT, DNS_HEALTH_CHECK_PROBE].map(writes)).toEqual([[], [], []]);
  });

  test("that is stopping stores nothing: the delivery must not be acknowledged, nor be noted in the Lease", async () => {
    isStopping = true;
    expect(await output.store({ ...state(), serial: 7 }, source())).toBe(false);
    await vi.advanceTimersByTimeAsync(5_000);
    expect([DNS_RECORD, DNS_ENDPOINT, DNS_HEALTH_CHECK_PROBE].map(writes)).toEqual([[], [], []]);
  });

  test("that ends writes first what DNS holds already and no status says yet: the next leader would take it back", async () => {
    setUp({ ...SETTINGS, reconfigMaxDelayMs: 60_000 });
    const [host] = Object.values(state().hosts);
    const published = (target: string) => ({ "api.test": { ...host, served: [{ ...A, targets: [target] }] } });
    await output.store({ ...state(), hosts: published("192.0.2.2") }, source());
    await vi.advanceTimersByTimeAsync(1_000);
    const status = () => (api(DNS_RECORD).objects.get("shop/api")!.status as DnsRecordStatus).published;
    const before = status();
    await output.store({ ...state(), hosts: published("192.0.2.3") }, source());
    expect(status()).toEqual(before);
    await writer.hurry();
    expect(status()).toMatchObject([{ targets: ["192.0.2.3"] }]);
  });

  test("writes no DNSEndpoint for a newer decision by which it publishes the same", async () => {
    const save = (decidedAt: number, targets: string[]) => {
      const served = [{ ...A, targets }];
      const decision = { ...delivered("api.test", targets, { record: "shop/api" }), decidedAt };
      return output.store({ ...state(), hosts: { "api.test": { served, delivered: decision } } }, source());
    };
    await save(2_000, ["192.0.2.2"]);
    await save(3_000, ["192.0.2.2"]);
    expect(writes(DNS_ENDPOINT)).toEqual(["apply"]);
    expect(decidedAtOf(api(DNS_ENDPOINT).objects.get("shop/api")!)).toBe(2_000);
  });

  test("says of a record that the API server refuses its DNSEndpoint: what was decided is not in DNS", async () => {
    const [host] = Object.values(state().hosts);
    const changed = { ...host, served: [{ ...A, targets: ["192.0.2.2"] }] };
    api(DNS_ENDPOINT).failure = ({ verb }) => (verb === "apply" ? apiError(422, "Invalid") : undefined);
    await output.store({ ...state(), hosts: { "api.test": changed } }, source());
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
