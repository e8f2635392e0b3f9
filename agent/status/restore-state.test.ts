import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EMPTY_STATE, startController } from "../../test/support/agent/core.ts";
import { type DeliveredOptions, delivered, delivery } from "../../test/support/agent/delivered.ts";
import { dnsRecord, NOW, recordsOf, written } from "../../test/support/agent/kube-objects.ts";
import { propertyRuns } from "../../test/support/property-runs.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import { type LoadInput, restoreState } from "./restore-state.ts";
import type { State } from "./state.ts";

const ADDRESSES = ["192.0.2.1", "192.0.2.2", "192.0.2.3"];
const edge = EMPTY_STATE.edge;

async function settled(records: readonly KubeObject[], decisions: unknown[], n = 5, silent = false): Promise<State> {
  const { core, world } = startController();
  const source = recordsOf(records);
  await core.takeSource({ complete: true, records: source.records, problems: source.problems });
  await core.takeDelivery(delivery({ epoch: 7, n }, decisions));
  await core.takeAnswers([]);
  if (silent) {
    world.elapsedMs += 300_000;
    await core.tick();
  }
  return core.state;
}

const load = (objects: Omit<LoadInput, "clusterUid" | "edge">, more: Partial<LoadInput> = {}) =>
  restoreState({ ...objects, clusterUid: "uid", edge, ...more });

/** What of the hosts has to come back: all but what the regions said. */
const withoutRegions = (hosts: State["hosts"]) =>
  Object.entries(hosts).map(([rootHost, host]) => [
    rootHost,
    {
      ...host,
      ...(host.delivered && {
        delivered: { ...host.delivered, probes: host.delivered.probes.map(({ regions: _, ...probe }) => probe) },
      }),
    },
  ]);

const decisionOf = fc.record({
  published: fc.subarray(ADDRESSES, { minLength: 1 }),
  whenSilent: fc.constantFrom("Publish" as const, "Freeze" as const),
  foreign: fc.boolean(),
});

describe("the state that the objects of the cluster hold", () => {
  it("is the state that they were written from, one number below", async () => {
    const story = fc.record({
      decisions: fc.tuple(decisionOf, decisionOf),
      n: fc.integer({ min: 1, max: 2 ** 40 }),
      silent: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(story, async ({ decisions, n, silent }) => {
        const records = [
          dnsRecord({ name: "a", host: "x.test", targets: ADDRESSES, age: 9 }),
          dnsRecord({ name: "b", host: "x.test", targets: ADDRESSES, age: 10 }),
          dnsRecord({ name: "c", host: "y.test", targets: ADDRESSES }),
        ];
        const decided = decisions.map(({ published, whenSilent, foreign }, index) => {
          const unhealthy = ADDRESSES.filter((address) => !published.includes(address));
          const probed = { here: ADDRESSES, ...(foreign && { there: ["192.0.2.9"] }) };
          const conditions = [{ type: "Conflict", status: "True", reason: "Older", message: "An older share holds." }];
          const shares = [
            { cluster: "here", record: index === 0 ? "shop/a" : "shop/c", conditions },
            ...(foreign ? [{ cluster: "there", record: "shop/z", conditions: [] }] : []),
          ];
          const options: DeliveredOptions = { unhealthy, whenSilent, probed, shares, record: "shop/a" };
          return delivered(index === 0 ? "x.test" : "y.test", published, options);
        });
        const state = await settled(records, decided, n, silent);
        const back = load(written(state, records));
        expect(withoutRegions(back.hosts)).toEqual(withoutRegions(state.hosts));
        expect(back).toMatchObject({ clusterUid: "uid", number: { epoch: 7, n: n - 1 }, silent, serial: state.serial });
        expect(Object.keys(back.records)).toEqual(Object.keys(state.records));
        for (const [key, { manifest, answer }] of Object.entries(state.records)) {
          expect(back.records[key]).toMatchObject({ manifest });
          expect(back.records[key]?.answer).toEqual(answer);
        }
      }),
      { numRuns: propertyRuns(60) },
    );
  });
});

describe("after a restart", () => {
  const records = [dnsRecord({ name: "x", targets: ADDRESSES })];
  const decided = () => delivered("x.test", ["192.0.2.1"], { unhealthy: ["192.0.2.2", "192.0.2.3"] });

  it("what the regions said is there again, from the probe objects", async () => {
    const state = await settled(records, [decided()]);
    const [probe] = load(written(state, records)).hosts["x.test"]?.delivered?.probes ?? [];
    expect(probe?.regions).toEqual([
      {
        region: "weur",
        freshness: "Fresh",
        checkedAt: 1,
        counts: { failures: 0, successes: 2, says: "Healthy" },
        observation: { reason: "Ok" },
      },
    ]);
  });

  it("what is in DNS is what the DNSEndpoint says, else what the status says, else unknown", async () => {
    const objects = written(await settled(records, [decided()]), records);
    const served = (more: Partial<LoadInput>) =>
      load({ ...objects, ...more }).hosts["x.test"]?.served?.flatMap(({ targets }) => targets);
    const [endpoint] = objects.endpoints;
    const other = [{ dnsName: "x.test", recordType: "A", recordTTL: 60, targets: ["192.0.2.2"] }];
    const held = (change: Partial<KubeObject>) => ({ endpoints: [{ ...endpoint!, ...change }] });
    expect(served(held({ spec: { endpoints: other } }))).toEqual(["192.0.2.2"]);
    for (const nothing of [
      { endpoints: [] },
      held({ spec: { endpoints: [{ ...other[0], dnsName: "victim.test" }] } }),
      held({ spec: { endpoints: [] } }),
      held({ spec: "garbage" }),
      held({ spec: { endpoints: other }, metadata: { ...endpoint!.metadata, labels: {} } }),
    ]) {
      expect(served(nothing)).toEqual(["192.0.2.1"]);
    }
    const bare = objects.records.map(({ status: _, ...object }) => object);
    expect(served({ records: bare, endpoints: [] })).toBeUndefined();
  });

  it("a record that is being deleted counts for nothing, but its DNSEndpoint still tells what is in DNS", async () => {
    const two = [dnsRecord({ name: "old", host: "x.test", age: 99 }), dnsRecord({ name: "new", host: "x.test" })];
    const objects = written(await settled(two, [delivered("x.test", ["192.0.2.1"])]), two);
    const leaving = objects.records.map((object) =>
      object.metadata.name === "old"
        ? { ...object, metadata: { ...object.metadata, deletionTimestamp: "2026-11-30T12:00:00Z" } }
        : { ...object, status: undefined },
    );
    const back = load({ ...objects, records: leaving });
    expect(Object.keys(back.records)).toEqual(["shop/new"]);
    expect(back.hosts["x.test"]?.served?.[0]?.targets).toEqual(["192.0.2.1"]);
    expect(load({ ...objects, records: leaving.slice(0, 1) })).toMatchObject({ records: {}, hosts: {} });
  });

  it("numbers and decisions of another edge mean nothing, and what is in DNS stays", async () => {
    const objects = written(await settled(records, [decided()]), records);
    const back = load(objects, { edge: { ...edge, url: "https://other.test" } });
    expect(back).toMatchObject({ number: { epoch: 0, n: 0 }, sentAt: 0 });
    expect(Object.keys(back.hosts["x.test"] ?? {})).toEqual(["served"]);
    expect(back.records["shop/x"]?.answer).toBeUndefined();
  });

  it.each([
    null,
    "text",
    [],
    { conditions: "x", decision: 1, probes: {}, published: [{}], lastAccepted: [] },
    { conditions: [null, { type: 1 }], decision: { endpoints: [] }, published: "x" },
    { published: [{ dnsName: "victim.test", recordType: "A", targets: ["192.0.2.1"] }] },
    { decision: { ...decided(), decidedAt: "never" } },
    { decision: { ...decided(), decidedAt: "2026-11-30T12:00:00Z" }, probes: [{ cluster: 1 }] },
  ])("the status %j, which somebody else wrote, makes its record alone start with nothing known", async (status) => {
    const two = [dnsRecord({ name: "x" }), dnsRecord({ name: "y" })];
    const objects = written(await settled(two, [delivered("y.test", ["192.0.2.1"])]), two);
    const spoilt = objects.records.map((object) => (object.metadata.name === "x" ? { ...object, status } : object));
    const back = load({ ...objects, records: spoilt as KubeObject[] });
    expect(back.hosts["x.test"]?.served).toBeUndefined();
    expect(back.hosts["x.test"]?.delivered?.probes ?? []).toEqual([]);
    expect(back.hosts["y.test"]?.served?.[0]?.targets).toEqual(["192.0.2.1"]);
  });

  it.each([
    undefined,
    { metadata: {} },
    { metadata: { annotations: 1 }, spec: { renewTime: 5 } },
    {
      metadata: {
        annotations: {
          "vedette.dev/delivery-number": "x",
          "vedette.dev/serial": "-1",
          "vedette.dev/delivery-sent-at": "soon",
          "vedette.dev/silent": "maybe",
        },
      },
    },
    { metadata: { annotations: { "vedette.dev/serial": "4294967296", "vedette.dev/delivery-number": "1.2.3" } } },
  ])("the Lease %j is nothing known", (lease) => {
    const objects = { records, probes: [], endpoints: [], lease: lease as unknown as KubeObject };
    expect(load(objects)).toMatchObject({ number: { epoch: 0, n: 0 }, sentAt: 0, serial: 1, silent: false });
  });
});

describe("what the edge said of a record's spec", () => {
  const accepted = (status: string, observedGeneration: number) => ({
    conditions: [
      {
        type: "Accepted",
        status,
        reason: "R",
        message: "m",
        lastTransitionTime: new Date(NOW).toISOString(),
        observedGeneration,
      },
    ],
  });
  const published = [{ dnsName: "x.test", recordType: "A", recordTTL: 60, targets: ["192.0.2.7"] }];
  const former = { rootHost: "x.test", endpoints: [{ dnsName: "x.test", recordType: "A", targets: ["192.0.2.8"] }] };
  const stateOf = (status: object) => {
    const records = [dnsRecord({ name: "x", generation: 2, status })];
    return load({ records, probes: [], endpoints: [], lease: undefined }).records["shop/x"];
  };

  it("is known again where it was of this generation", () => {
    expect(stateOf(accepted("True", 2))).toMatchObject({ answer: { condition: { status: "True", reason: "R" } } });
    expect(stateOf(accepted("True", 1))).not.toHaveProperty("answer");
    expect(stateOf(accepted("Unknown", 2))).not.toHaveProperty("answer");
  });

  it("leaves the form that it took last, where it refused this one", () => {
    const state = stateOf({ ...accepted("False", 2), lastAccepted: { spec: former }, published });
    expect(state).toMatchObject({ answer: { condition: { status: "False" } }, acceptedSpec: former });
    expect(stateOf({ ...accepted("False", 2), published })).not.toHaveProperty("acceptedSpec");
  });

  it("is not known of a spec that was edited while no agent ran: what is in DNS stands in for the form before", () => {
    expect(stateOf({ ...accepted("True", 1), published })).toMatchObject({ acceptedSpec: { endpoints: published } });
    const elsewhere = [{ ...published[0], dnsName: "elsewhere.test" }];
    expect(stateOf({ ...accepted("True", 1), published: elsewhere })).not.toHaveProperty("acceptedSpec");
  });
});
