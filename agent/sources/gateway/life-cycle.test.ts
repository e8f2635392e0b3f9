import { describe, expect, it } from "vitest";
import type { PolicyStatus } from "../../../shared/model/dns-health-check-policy.ts";
import { gateway, policy, settled } from "../../../test/support/gateways.ts";
import type { KubeObject } from "../../kubernetes/object.ts";
import { recordName } from "./derived-record.ts";
import { type ClusterState, planChanges } from "./plan.ts";

const DELETED = { deletionTimestamp: "2026-01-02T00:00:00Z" };
const web = (more: Partial<Parameters<typeof gateway>[1]> = {}) =>
  gateway("web", { listeners: [["https", "one.test"]], addresses: ["192.0.2.1"], ...more });
const before = settled({ gateways: [web()], policies: [policy("p", "web")], records: [] });
const record = before.records[0]!;
const names = ({ records }: ClusterState) => records.map(({ metadata }) => metadata.name);
const reasonsIn = ({ policies = [] }: ClusterState) =>
  policies.map(({ status }) => (status as PolicyStatus).ancestors[0]?.conditions[0]?.reason);
const messageIn = ({ policies = [] }: ClusterState) =>
  policies.map(({ status }) => (status as PolicyStatus).ancestors[0]?.conditions[0]?.message)[0];
const changed = (object: KubeObject, metadata: Partial<KubeObject["metadata"]>, spec = object.spec): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, ...metadata },
  spec,
});

describe("a record that was made from a Gateway", () => {
  it("goes with its Gateway, and as soon as that is being deleted", () => {
    for (const gateways of [[], [web({ metadata: DELETED })]]) {
      const after = settled({ ...before, gateways });
      expect(names(after)).toEqual([]);
      expect(reasonsIn(after)).toEqual(["TargetNotFound"]);
    }
  });

  it("goes with its policy, unless another is for its listener", () => {
    expect(names(settled({ ...before, policies: [] }))).toEqual([]);
    expect(names(settled({ ...before, policies: [policy("p", "web", { metadata: DELETED })] }))).toEqual([]);
    const [other] = settled({ ...before, policies: [policy("q", "web/https")] }).records;
    expect(other?.metadata).toMatchObject({ uid: record.metadata.uid, annotations: { "vedette.dev/policy": "q" } });
  });

  it("goes with its listener, or with the host name of that", () => {
    expect(names(settled({ ...before, gateways: [web({ listeners: [["http", "two.test"]] })] }))).toEqual(["web-http"]);
    expect(names(settled({ ...before, gateways: [web({ listeners: [["https"]] })] }))).toEqual([]);
  });

  it("stays while the cluster does not know Gateways, or policies", () => {
    const withoutGateways = settled({ ...before, gateways: undefined });
    expect(names(withoutGateways)).toEqual(["web-https"]);
    expect(reasonsIn(withoutGateways)).toEqual(["TargetNotFound"]);
    expect(planChanges({ ...before, policies: undefined }, 0)).toEqual({ applies: [], deletes: [], statuses: [] });
  });

  it("goes on under a Gateway that was made anew, and belongs to it", () => {
    const again = web({ metadata: { uid: "another" }, addresses: [] });
    const [after] = settled({ ...before, gateways: [again] }).records;
    expect(after?.metadata).toMatchObject({
      uid: record.metadata.uid,
      ownerReferences: [{ name: "web", uid: "another" }],
    });
    expect(after?.spec).toEqual(record.spec);
  });

  it("is put back after somebody changed it, and keeps what others noted on it", () => {
    const spec = { ...(record.spec as object), minPublished: 7 };
    const labels = { ...record.metadata.labels, team: "blue", "vedette.dev/gateway": "mine" };
    const [after] = settled({ ...before, records: [changed(record, { labels }, spec)] }).records;
    expect(after?.spec).toEqual(record.spec);
    expect(after?.metadata.labels).toEqual({ ...record.metadata.labels, team: "blue" });
  });

  it("is left alone for what others note on it, and for how the same is written", () => {
    const labels = { ...record.metadata.labels, team: "blue" };
    const spec = { ...(record.spec as object), rootHost: "ONE.test." };
    const records = [changed(record, { labels, finalizers: ["vedette.dev/withdraw"] }, spec)];
    expect(planChanges({ ...before, records }, 0)).toEqual({ applies: [], deletes: [], statuses: [] });
  });

  it("that is being deleted is neither written nor deleted again, and made anew when it is gone", () => {
    const records = [changed(record, DELETED, {})];
    expect(planChanges({ ...before, records }, 0)).toMatchObject({ applies: [], deletes: [] });
    expect(planChanges({ ...before, records, policies: [] }, 0)).toMatchObject({ applies: [], deletes: [] });
    const [apply] = planChanges({ ...before, records: [] }, 0).applies;
    expect(apply?.metadata).not.toHaveProperty("uid");
  });
});

describe("somebody else's record", () => {
  const foreign = changed(record, { labels: {}, ownerReferences: [], annotations: {} }, { rootHost: "mine.test" });

  it("is left alone, and told to the policy", () => {
    const after = settled({ ...before, records: [foreign] });
    expect(after.records).toEqual([foreign]);
    expect(messageIn(after)).toBe(
      "one.test: The DNSRecord web-https is not this Gateway's, and is left alone: rename it or the listener.",
    );
  });

  it.each([
    ["without our label", { labels: {} }],
    ["without a Gateway as its controller", { ownerReferences: [] }],
    [
      "of another kind of owner",
      { ownerReferences: [{ apiVersion: "v1", kind: "Gateway", name: "web", uid: "1", controller: true }] },
    ],
  ])("is one %s, and stays when all others go", (_, metadata) => {
    expect(names(settled({ gateways: [], policies: [], records: [changed(record, metadata)] }))).toEqual(["web-https"]);
  });

  it("in the way of a listener's new name takes nothing from its host", () => {
    const gateways = [web({ listeners: [["tls", "one.test"]] })];
    const inTheWay = changed(foreign, { name: "web-tls" });
    expect(names(settled({ ...before, gateways, records: [record, inTheWay] }))).toEqual(["web-https", "web-tls"]);
  });

  it("may be another Gateway's, where two come to one name: the older has it", () => {
    const name = recordName("a", "b-c");
    const [younger, older] = [{ creationTimestamp: "2026-01-03T00:00:00Z" }, {}];
    const twins = (first: object, second: object) => [
      gateway("a", { listeners: [["b-c", "a.test"]], addresses: ["192.0.2.1"], metadata: first }),
      gateway("a-b-c", { listeners: [[name.slice(6), "b.test"]], addresses: ["192.0.2.1"], metadata: second }),
    ];
    const policies = [policy("p", "a"), policy("q", "a-b-c")];
    const world = settled({ gateways: twins(older, younger), policies, records: [] });
    expect(world.records.map(({ metadata, spec }) => [metadata.name, spec])).toEqual([
      [name, expect.objectContaining({ rootHost: "a.test" })],
    ]);
    expect(messageIn({ ...world, policies: world.policies?.slice(1) })).toBe(
      `The name ${name} is taken by a record of an older Gateway: rename the listener.`,
    );
    expect(settled({ ...world, gateways: twins(younger, older) }).records).toEqual(world.records);
  });
});

describe("a policy that asks for what cannot be", () => {
  const secret = { healthCheck: { additionalHeadersRef: { name: "headers" } } };
  const plain = web({
    listeners: [
      ["https", "one.test"],
      ["http", "two.test", "HTTP", 80],
    ],
  });

  it("leaves the record's last form, and the records of other listeners are as it says", () => {
    const [first, second] = settled({ ...before, gateways: [plain], policies: [policy("p", "web", secret)] }).records;
    expect(first?.spec).toMatchObject({ rootHost: "one.test", healthCheck: secret.healthCheck });
    expect(second).toBeUndefined();
    const started = settled({ ...before, gateways: [plain] });
    const after = settled({ ...started, policies: [policy("p", "web", secret)] });
    expect(after.records[0]?.spec).toMatchObject({ healthCheck: secret.healthCheck });
    expect(after.records[1]?.spec).toEqual(started.records[1]?.spec);
    expect(reasonsIn(after)).toEqual(["Invalid"]);
    expect(messageIn(after)).toMatch(
      /^two\.test: spec\.healthCheck\.additionalHeadersRef: .*"headers".* would send secret headers in clear over HTTP: /,
    );
  });

  it("holds a record as it is, also where nothing of it can be read", () => {
    const wrong = policy("p", "web", { minPublished: 0 });
    const nothing = { ...wrong, spec: { targetRef: 7 } };
    for (const broken of [wrong, nothing]) {
      const world = { ...before, gateways: [web({ addresses: ["192.0.2.9"] })], policies: [broken] };
      expect(settled(world).records[0]?.spec).toEqual(record.spec);
      expect(names(settled({ ...world, gateways: [] }))).toEqual([]);
    }
  });

  it("still lets the record follow a Gateway that was made anew", () => {
    const world = {
      ...before,
      gateways: [web({ metadata: { uid: "another" } })],
      policies: [policy("p", "web", { minPublished: 0 })],
    };
    expect(settled(world).records[0]?.metadata.ownerReferences).toMatchObject([{ uid: "another" }]);
  });

  it("leaves alone what it cannot read itself", () => {
    const records = [changed(record, {}, { ...(record.spec as object), minPublished: 0 })];
    const world = { ...before, records, policies: [policy("p", "web", { minPublished: 0 })] };
    expect(planChanges(world, 0)).toMatchObject({ applies: [], deletes: [] });
  });
});

describe("a listener that cannot be read", () => {
  const broken = web({
    listeners: [
      { name: "https", hostname: "not a host", port: 443, protocol: "HTTPS" },
      ["http", "two.test", "HTTP", 80],
    ],
  });

  it("keeps the records of its Gateway, as long as a policy is for it", () => {
    const after = settled({ ...before, gateways: [broken] });
    expect(names(after)).toEqual(["web-https", "web-http"]);
    expect(messageIn(after)).toBe(
      'The listener https cannot be read: hostname: "not a host" has the label "not a host": 1 to 63 letters, digits and inner hyphens are allowed. Records that exist stay.',
    );
    expect(names(settled({ ...after, policies: [] }))).toEqual([]);
  });

  it("may be the whole list", () => {
    expect(names(settled({ ...before, gateways: [{ ...web(), spec: null }] }))).toEqual(["web-https"]);
  });
});
