import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recordSpec } from "../../../shared/model/record.ts";
import { gateway, policy, settled, written } from "../../../test/support/gateways.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { type KubeObject, refKey } from "../../kubernetes/object.ts";
import { readDerived } from "./derived-record.ts";
import { type ClusterState, planChanges } from "./plan.ts";

/** Mostly the first of them. */
const mostly = <Value>(usual: Value, ...others: Value[]) =>
  fc.oneof({ weight: 2 * others.length + 4, arbitrary: fc.constant(usual) }, fc.constantFrom(...others));

const metadata = fc
  .record({
    namespace: mostly("shop", "bank"),
    creationTimestamp: mostly("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", ""),
    uid: mostly("first", "second"),
    deletionTimestamp: mostly(undefined, "2026-01-03T00:00:00Z"),
  })
  .map(({ deletionTimestamp, ...rest }) => ({ ...rest, ...(deletionTimestamp && { deletionTimestamp }) }));

const listener = fc
  .tuple(
    fc.constantFrom("c", "b-c", "https", "x.y"),
    fc.constantFrom("one.test", "*.one.test", "TWO.test.", undefined),
    fc.constantFrom("HTTPS", "HTTP", "TLS", "UDP"),
    mostly(443, 80, 25),
  )
  .chain((good) => mostly<unknown>(good, null, { name: "c" }, { name: "c", hostname: "-", port: 1, protocol: "HTTP" }));
const address = mostly<object>(
  { value: "192.0.2.1" },
  { value: "192.0.2.2" },
  { value: "::ffff:192.0.2.1" },
  { value: "2001:db8::1" },
  { type: "Hostname", value: "lb.one.test" },
  { type: "Hostname", value: "LB.test." },
  { type: "Hostname", value: "lb.two.example" },
  { type: "NamedAddress", value: "x" },
  { value: 7 },
);
const aGateway = fc
  .tuple(
    mostly("web", "a", "a-b"),
    fc.array(listener, { minLength: 1, maxLength: 5 }),
    fc.array(address, { maxLength: 4 }),
    metadata,
  )
  .map(([name, listeners, addresses, meta]) => gateway(name, { listeners, status: { addresses }, metadata: meta }));

const spec = fc.record(
  {
    weight: fc.constantFrom(0, 7),
    minPublished: mostly<number | string>(1, "50%", 0),
    healthCheck: mostly<object>(
      {},
      { port: 8443 },
      { protocol: "HTTP" },
      { additionalHeadersRef: { name: "s" } },
      { timeout: "2h" },
    ),
  },
  { requiredKeys: [] },
);
const aPolicy = fc
  .tuple(fc.constantFrom("p", "q", "r"), mostly("web", "a", "a-b", "web/c", "a/b-c", "no"), spec, metadata)
  .map(([name, target, rest, meta]) => policy(name, target, { ...rest, metadata: meta }))
  .chain((object) => mostly(object, { ...object, spec: { targetRef: 7 } }));

const byKey = (objects: KubeObject[]) => [...new Map(objects.map((one) => [refKey(one.metadata), one])).values()];
const some = (object: fc.Arbitrary<KubeObject>, maxLength: number) =>
  fc.array(object, { minLength: 2, maxLength }).map(byKey);
const empty = fc.record({
  gateways: some(aGateway, 5),
  policies: some(aPolicy, 5),
  records: fc.constant<KubeObject[]>([]),
});
const foreign: KubeObject = {
  apiVersion: "vedette.dev/v1alpha1",
  kind: "DNSRecord",
  metadata: { name: "web-c", namespace: "shop", uid: "foreign" },
  spec: { rootHost: "theirs.test" },
};

/** A world with a past: what stands in it came about under other Gateways and policies. */
const anyWorld: fc.Arbitrary<ClusterState> = fc.tuple(empty, empty, fc.boolean()).map(([past, now, isInTheWay]) => {
  const { records } = settled({ ...past, records: isInTheWay ? [foreign] : [] });
  return { ...now, records };
});

const holds = (property: (world: ClusterState) => void) =>
  fc.assert(fc.property(anyWorld, property), { numRuns: propertyRuns(250) });
const sorted = (objects: readonly { metadata: KubeObject["metadata"] }[]) =>
  objects.map(({ metadata: m }) => refKey(m)).toSorted();
const targetsOf = (object: KubeObject) => readDerived(object)?.targets ?? [];

describe("whatever Gateways, policies and records there are", { timeout: 60_000 }, () => {
  it("what was written once is not written again", () => {
    holds((world) => {
      const after = settled(settled(world));
      expect(planChanges(after, 1)).toEqual({ applies: [], deletes: [], statuses: [] });
    });
  });

  it("their order does not matter", () => {
    holds((world) => {
      const { gateways = [], policies = [], records } = world;
      const turned = {
        gateways: gateways.toReversed(),
        policies: policies.toReversed(),
        records: records.toReversed(),
      };
      const [one, other] = [planChanges(world, 0), planChanges(turned, 0)];
      expect({ ...other, deletes: sorted(other.deletes) }).toEqual({ ...one, deletes: sorted(one.deletes) });
    });
  });

  it("every record that is written is a record, of a name of its own, and whole", () => {
    holds((world) => {
      const { applies } = planChanges(world, 0);
      expect(new Set(sorted(applies)).size).toBe(applies.length);
      for (const object of applies) {
        expect(recordSpec.safeParse(object.spec).error).toBeUndefined();
        expect(targetsOf(object)).not.toEqual([]);
        expect(readDerived(object)).toBeDefined();
      }
    });
  });

  it("nothing of anybody else's is touched", () => {
    holds((world) => {
      const { applies, deletes } = planChanges(world, 0);
      const there = new Map(world.records.map((object) => [refKey(object.metadata), object]));
      for (const { metadata } of [...applies, ...deletes]) {
        const actual = there.get(refKey(metadata));
        if (actual !== undefined) expect(readDerived(actual)).toBeDefined();
        expect(metadata.uid).toBe(actual?.metadata.uid);
      }
    });
  });

  it("only what is known to be gone is deleted", () => {
    holds((world) => {
      expect(planChanges({ ...world, gateways: undefined }, 0)).toMatchObject({ applies: [], deletes: [] });
      expect(planChanges({ ...world, policies: undefined }, 0)).toEqual({ applies: [], deletes: [], statuses: [] });
    });
  });

  it("an address list that is empty or cannot be read takes no address away", () => {
    holds((world) => {
      const before = settled(settled(world));
      for (const addresses of [[], [{ value: 7 }], null]) {
        const gateways = before.gateways?.map((object) => ({ ...object, status: { addresses } }));
        const after = written(before, planChanges({ ...before, gateways }, 0));
        expect(sorted(after.records)).toEqual(sorted(before.records));
        for (const [index, object] of before.records.entries()) {
          const now = after.records[index];
          if (now !== undefined) expect(targetsOf(now).toSorted()).toEqual(targetsOf(object).toSorted());
        }
      }
    });
  });
});
