import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EMPTY_STATE, startController } from "../../test/support/agent/core.ts";
import { delivered, delivery } from "../../test/support/agent/delivered.ts";
import { dnsRecord, NOW, recordsOf, written } from "../../test/support/agent/kube-objects.ts";
import { propertyRuns } from "../../test/support/property-runs.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import { withNewerDecisions } from "./restore-newer-decisions.ts";
import { restoreState } from "./restore-state.ts";
import type { State } from "./state.ts";

const ADDRESSES = ["192.0.2.1", "192.0.2.2", "192.0.2.3"];
const FOREIGN = "192.0.2.9";
const NAMES = ["x", "y"] as const;
const EPOCH = 7;
const STALE_MS = 300_000;

type WhenSilent = "Publish" | "Freeze";

const recordsWith = (whenSilent: WhenSilent = "Publish") =>
  NAMES.map((name) => dnsRecord({ name, targets: ADDRESSES, spec: { whenSilent } }));

interface Decided {
  published: string[];
  whenSilent: WhenSilent;
  isShared: boolean;
}

/** The decision of a record that was made with the nth delivery. */
function decisionOf(name: string, n: number, { published, whenSilent, isShared }: Decided) {
  const shares = ["here", ...(isShared ? ["there"] : [])].map((cluster) => {
    return { cluster, record: `shop/${name}`, conditions: [] };
  });
  const probed = { here: ADDRESSES, ...(isShared && { there: [FOREIGN] }) };
  const unhealthy = ADDRESSES.filter((address) => !published.includes(address));
  const addresses = [...published, ...(isShared ? [FOREIGN] : [])];
  const decision = delivered(`${name}.test`, addresses, {
    shares,
    probed,
    unhealthy,
    whenSilent,
    record: `shop/${name}`,
  });
  return { ...decision, decidedAt: n * 1_000 };
}

const deliveryOf = (n: number, decisions: unknown[]) => delivery({ epoch: EPOCH, n }, decisions, n * 1_000 + 1);

async function leading(objects: readonly KubeObject[], state: State = EMPTY_STATE) {
  const { core, world } = startController(state);
  const { records: own, problems } = recordsOf(objects);
  await core.takeSource({ complete: true, records: own, problems });
  return { core, world };
}

const load = (objects: ReturnType<typeof written>) => {
  const state = restoreState({ ...objects, clusterUid: "uid", edge: EMPTY_STATE.edge });
  return withNewerDecisions(state, { ...objects, nowMs: NOW });
};

const inDns = ({ hosts }: State, name: string) =>
  (hosts[`${name}.test`]?.served ?? []).flatMap(({ targets }) => targets).toSorted();

/** Of the objects of one kind, each as an earlier or a later writing left it. */
const mixed = <Kind extends KubeObject>(earlier: Kind[], later: Kind[], isWritten: readonly boolean[]): Kind[] =>
  earlier.map((object, index) => (isWritten[index] ? later[index]! : object));

const published = fc.subarray(ADDRESSES, { minLength: 1 });
const perRecord = fc.tuple(fc.boolean(), fc.boolean());

describe("a leader that was killed while it wrote what follows from a delivery", () => {
  it("leaves a state of which the newest that was written of each record, in DNS or in a status, holds", async () => {
    const story = fc.record({
      first: fc.tuple(published, published),
      second: fc.tuple(published, published),
      whenSilent: fc.constantFrom("Publish" as const, "Freeze" as const),
      isShared: fc.boolean(),
      endpoints: perRecord,
      statuses: perRecord,
      lease: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(story, async (told) => {
        const { whenSilent, isShared } = told;
        const decisions = (n: number, each: readonly string[][]) =>
          NAMES.map((name, index) => decisionOf(name, n, { published: each[index]!, whenSilent, isShared }));
        const records = recordsWith(whenSilent);
        const killed = await leading(records);
        await killed.core.takeDelivery(deliveryOf(5, decisions(5, told.first)));
        const before = written(killed.core.state, records);
        await killed.core.takeDelivery(deliveryOf(6, decisions(6, told.second)));
        const after = written(killed.core.state, records, before.endpoints);
        const { core, world } = await leading(
          records,
          load({
            records: mixed(before.records, after.records, told.statuses),
            endpoints: mixed(before.endpoints, after.endpoints, told.endpoints),
            probes: before.probes,
            lease: told.lease ? after.lease : before.lease,
          }),
        );
        const isSecond = (index: number) => told.endpoints[index] || told.statuses[index];
        const foreign = isShared ? [FOREIGN] : [];
        const expected = NAMES.map((_, index) => (isSecond(index) ? told.second : told.first)[index]!.concat(foreign));
        expect(NAMES.map((name) => inDns(core.state, name))).toEqual(expected);
        world.elapsedMs += STALE_MS;
        await core.tick();
        const inSilence = whenSilent === "Freeze" ? expected : NAMES.map(() => ADDRESSES.concat(foreign));
        expect(NAMES.map((name) => inDns(core.state, name))).toEqual(inSilence);
        await core.takeDelivery(deliveryOf(6, decisions(6, told.second)));
        expect(NAMES.map((name) => inDns(core.state, name))).toEqual(told.second.map((one) => one.concat(foreign)));
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  const decided = (n: number, addresses: string[]) =>
    decisionOf("x", n, { published: addresses, whenSilent: "Publish", isShared: false });
  const records = recordsWith();
  const [A, B] = ["192.0.2.1", "192.0.2.2"] as const;

  /** What is written of a first delivery, of the silence after it, and of the delivery that ended that. */
  async function overSilence() {
    const { core, world } = await leading(records);
    await core.takeDelivery(deliveryOf(5, [decided(5, [A])]));
    world.elapsedMs += STALE_MS;
    await core.tick();
    const silent = written(core.state, records);
    await core.takeDelivery(deliveryOf(6, [decided(6, [B])]));
    return { silent, heard: written(core.state, records, silent.endpoints) };
  }

  it("has not found the edge silent, where what is in DNS was decided since: not all is published again", async () => {
    const { silent, heard } = await overSilence();
    expect(load(silent).silent).toBe(true);
    const { core } = await leading(records, load({ ...silent, endpoints: heard.endpoints }));
    expect(core.state.silent).toBe(false);
    expect(inDns(core.state, "x")).toEqual([B]);
  });

  it("has found it silent, where nothing in DNS was decided since: all stays published", async () => {
    const { silent } = await overSilence();
    const { core } = await leading(records, load(silent));
    expect(core.state.silent).toBe(true);
    expect(inDns(core.state, "x")).toEqual(ADDRESSES);
  });

  it("leaves a decision of which nobody knows the reasons; a person's change of the record counts all the same", async () => {
    const { silent, heard } = await overSilence();
    const state = load({ ...silent, endpoints: heard.endpoints });
    expect(state.hosts["x.test"]?.delivered).toMatchObject({ decidedAt: 6_000, leaves: [] });
    const { core } = await leading([dnsRecord({ name: "x", targets: [A] })], state);
    expect(inDns(core.state, "x")).toEqual([A]);
  });
});

describe("what stands in DNSEndpoints", () => {
  const [A, B, C] = ["192.0.2.1", "192.0.2.2", "192.0.2.3"] as const;
  const own = { whenSilent: "Publish", isShared: false } as const;
  const at = (endpoint: KubeObject, text: string): KubeObject => {
    const annotations = { ...endpoint.metadata.annotations, "vedette.dev/decided-at": text };
    return { ...endpoint, metadata: { ...endpoint.metadata, annotations } };
  };
  const targetsAt = (endpoint: KubeObject, ...targets: string[]): KubeObject => {
    const { endpoints } = endpoint.spec as { endpoints: object[] };
    return { ...endpoint, spec: { endpoints: endpoints.map((one) => ({ ...one, targets })) } };
  };

  it.each([
    ["far in the future", "2999-01-01T00:00:00Z"],
    ["after all that RFC 3339 can say", "+200000-01-01T00:00:00Z"],
    ["a little later than clocks may differ", new Date(NOW + 301_000).toISOString()],
    ["no time", "soon"],
  ])("is no decision of the edge where its time is %s", async (_, text) => {
    const records = recordsWith();
    const { core, world } = await leading(records);
    const decisions = NAMES.map((name) => decisionOf(name, 5, { published: [A], ...own }));
    await core.takeDelivery(deliveryOf(5, decisions));
    world.elapsedMs += STALE_MS;
    await core.tick();
    const silent = written(core.state, records);
    const [x, ...others] = silent.endpoints;
    const state = load({ ...silent, endpoints: [at(targetsAt(x!, C), text), ...others] });
    expect(state.silent).toBe(true);
    expect(state.hosts["x.test"]?.delivered).toMatchObject({ decidedAt: 5_000, endpoints: [{ targets: [A] }] });
  });

  it("is one where its time is later than that of the agent's clock by what clocks may differ", async () => {
    const records = recordsWith();
    const { core } = await leading(records);
    await core.takeDelivery(deliveryOf(5, [decisionOf("x", 5, { published: [A], ...own })]));
    const { endpoints, ...objects } = written(core.state, records);
    const state = load({
      ...objects,
      endpoints: [at(targetsAt(endpoints[0]!, B), new Date(NOW + 299_000).toISOString())],
    });
    expect(state.hosts["x.test"]?.delivered?.endpoints).toMatchObject([{ targets: [B] }]);
  });

  /** A decision of `x`, which the other cluster has a share of, in the status; and a later one that is in DNS alone. */
  async function sharedTwice(first: string[], second: string[], targets: string[]) {
    const decided = (n: number, published: string[]) =>
      decisionOf("x", n, { published, whenSilent: "Publish", isShared: true });
    const before = decided(5, first);
    const probes = before.probes.filter(({ leaf }) => leaf !== C);
    const records = [dnsRecord({ name: "x", targets: ADDRESSES })];
    const { core } = await leading(records);
    await core.takeDelivery(deliveryOf(5, [{ ...before, probes }]));
    const stored = written(core.state, records);
    await core.takeDelivery(deliveryOf(6, [decided(6, second)]));
    const { endpoints } = written(core.state, records, stored.endpoints);
    const [edited] = [dnsRecord({ name: "x", targets })];
    const held = stored.records.map((record) => ({ ...record, spec: edited!.spec }));
    return leading([edited!], load({ ...stored, records: held, endpoints }));
  }

  it("has out what a person took out meanwhile, also where the host is shared and no status knows whose it is", async () => {
    const { core } = await sharedTwice([A], [B, C], [A, B]);
    expect(inDns(core.state, "x")).toEqual([B, FOREIGN]);
  });

  it("has what a record names, also where no status knows it yet", async () => {
    const { core } = await sharedTwice([A], [B, C], ADDRESSES);
    expect(inDns(core.state, "x")).toEqual([B, C, FOREIGN]);
  });

  it("holds for those that stay of a host, where the record that it belongs to is being deleted", async () => {
    const both = [
      dnsRecord({ name: "x", targets: ADDRESSES }),
      dnsRecord({ name: "z", host: "x.test", targets: ADDRESSES, age: 30 }),
    ];
    const { core } = await leading(both);
    const decided = (n: number, published: string[]) => {
      const shares = ["x", "z"].map((name) => ({ cluster: "here", record: `shop/${name}`, conditions: [] }));
      return { ...decisionOf("x", n, { published, ...own }), shares };
    };
    await core.takeDelivery(deliveryOf(5, [decided(5, [A])]));
    const stored = written(core.state, both);
    await core.takeDelivery(deliveryOf(6, [decided(6, [B])]));
    const { endpoints } = written(core.state, both, stored.endpoints);
    const [x, z] = stored.records;
    const leaving = { ...x!, metadata: { ...x!.metadata, deletionTimestamp: new Date(NOW).toISOString() } };
    const next = await leading([both[1]!], load({ ...stored, records: [leaving, z!], endpoints }));
    expect(inDns(next.core.state, "x")).toEqual([B]);
  });

  it("does not take a name out of DNS that another DNSEndpoint of the host has", async () => {
    const alias = (dnsName: string, target: string) => ({ dnsName, recordType: "A", recordTTL: 60, targets: [target] });
    const below = dnsRecord({ name: "z", host: "x.test", age: 30, spec: { endpoints: [alias("a.x.test", C)] } });
    const records = [dnsRecord({ name: "x", targets: [A, B] }), below];
    const { core } = await leading(records);
    const decision = decisionOf("x", 5, { published: [A], ...own });
    const shares = ["x", "z"].map((name) => ({ cluster: "here", record: `shop/${name}`, conditions: [] }));
    const endpoints = [alias("a.x.test", C), ...decision.endpoints];
    await core.takeDelivery(deliveryOf(5, [{ ...decision, endpoints, shares }]));
    const stored = written(core.state, records);
    const [x] = stored.endpoints;
    const owner = { ...x!.metadata.ownerReferences![0]!, name: "z", uid: "uid-z" };
    const left = {
      ...x!,
      metadata: { ...x!.metadata, name: "z", ownerReferences: [owner] },
      spec: { endpoints: [alias("a.x.test", C)] },
    };
    const next = await leading(records, load({ ...stored, endpoints: [x!, at(left, new Date(9_000).toISOString())] }));
    expect(next.core.state.hosts["x.test"]?.served).toMatchObject([
      { dnsName: "a.x.test" },
      { dnsName: "x.test", targets: [A] },
    ]);
  });
});
