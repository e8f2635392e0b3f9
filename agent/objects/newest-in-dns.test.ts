import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EMPTY_STATE, startCore } from "../../test/support/agent/core.ts";
import { delivered, delivery } from "../../test/support/agent/delivered.ts";
import { dnsRecord, recordsOf, written } from "../../test/support/agent/kube-objects.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import type { State } from "../status/state.ts";
import { stateFromObjects } from "./load-state.ts";
import { withNewestInDns } from "./newest-in-dns.ts";

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
  const { core, world } = startCore(state);
  const { records: own, problems } = recordsOf(objects);
  await core.takeSource({ complete: true, records: own, problems });
  return { core, world };
}

const load = (objects: ReturnType<typeof written>) =>
  withNewestInDns(stateFromObjects({ ...objects, clusterUid: "uid", edge: EMPTY_STATE.edge }), objects.endpoints);

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
      { numRuns: 60 },
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
