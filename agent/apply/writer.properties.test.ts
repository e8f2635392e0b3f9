import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { apiError, FakeApi, FakeCache } from "../../test/support/fake-api.ts";
import { propertyRuns } from "../../test/support/property-runs.ts";
import { DNS_ENDPOINT } from "../kubernetes/kinds.ts";
import { contains } from "./compare.ts";
import type { WantedObject } from "./desired.ts";
import { Writer } from "./writer.ts";

/*
 * Under any desired state, failure and foreign write: our objects end as desired last, foreign objects stay untouched,
 * and no write is empty. The number of writes stays close to the number of causes.
 */

const LABELS = { "app.kubernetes.io/managed-by": "vedette-agent" };
const NAMES = ["a", "b", "c"];
const FOREIGN = "foreign";

const name = fc.constantFrom(...NAMES);
const target = fc.integer({ min: 1, max: 3 });
const event = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("want" as const),
      set: fc.dictionary(name, target),
      awaited: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("spoil" as const), name, target }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("remove" as const), name }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("label" as const), name }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("fail" as const), code: fc.constantFrom(0, 409, 429, 500, 503) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("heal" as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("sync" as const) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("time" as const), ms: fc.integer({ min: 1, max: 20_000 }) }) },
);

const endpointOf = (of: string, at: number): WantedObject => ({
  type: "Object",
  kind: DNS_ENDPOINT,
  object: {
    apiVersion: "externaldns.k8s.io/v1alpha1",
    kind: "DNSEndpoint",
    metadata: { name: of, namespace: "shop", labels: LABELS },
    spec: { endpoints: [{ dnsName: `${of}.test`, recordType: "A", targets: [`192.0.2.${at}`] }] },
  },
});

test("ends as wanted after any sequence of wishes, failures and foreign writes", async () => {
  vi.useFakeTimers();
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
      const api = new FakeApi();
      const cache = new FakeCache(api);
      const writer = new Writer({
        client: api,
        cacheOf: () => cache,
        isSynced: () => true,
        windowMs: 1_000,
        concurrency: 2,
        refreshesPerSecond: 1,
        log: () => {},
        random: Math.random,
        onFailureChange: () => {},
      });
      const sync = () => {
        for (const ref of cache.sync()) writer.changed(DNS_ENDPOINT, ref);
      };
      const foreign = api.set({ ...endpointOf(FOREIGN, 9).object, metadata: { name: FOREIGN, namespace: "shop" } });
      let wanted = new Map<string, number>();
      const publish = () =>
        writer.publish({
          wanted: [...wanted].map(([of, at]) => endpointOf(of, at)).concat(endpointOf(FOREIGN, 1)),
          scopes: [{ kind: DNS_ENDPOINT, labels: LABELS }],
        });
      let reasons = NAMES.length * 4;
      for (const one of events) {
        reasons += 1;
        switch (one.type) {
          case "want":
            wanted = new Map(Object.entries(one.set));
            reasons += NAMES.length;
            if (one.awaited) await publish();
            else void publish();
            break;
          case "spoil":
            api.change({ name: one.name, namespace: "shop" }, (object) => {
              object.spec = endpointOf(one.name, one.target + 10).object.spec;
            });
            break;
          case "remove":
            api.remove({ name: one.name, namespace: "shop" });
            break;
          case "label":
            api.change({ name: one.name, namespace: "shop" }, ({ metadata }) => {
              metadata.labels = { ...metadata.labels, team: "x" };
            });
            break;
          case "fail":
            api.failure = () => apiError(one.code, "Test");
            break;
          case "heal":
            api.failure = () => undefined;
            break;
          case "sync":
            sync();
            break;
          case "time":
            reasons += 2 * (NAMES.length + Math.ceil(one.ms / 1_000));
            await vi.advanceTimersByTimeAsync(one.ms);
        }
      }
      api.failure = () => undefined;
      void publish();
      for (let round = 0; round < 8; round += 1) {
        sync();
        await vi.advanceTimersByTimeAsync(60_000);
      }
      await writer.stop();
      const there = [...api.objects.values()].filter(({ metadata }) => metadata.name !== FOREIGN);
      expect(there.map(({ metadata }) => metadata.name).toSorted()).toEqual([...wanted.keys()].toSorted());
      for (const object of there) {
        const { spec } = endpointOf(object.metadata.name, wanted.get(object.metadata.name) ?? 0).object;
        expect(contains(object.spec, spec, { ignoreTimes: false })).toBe(true);
      }
      expect(api.objects.get(`shop/${FOREIGN}`)?.spec).toEqual(foreign.spec);
      expect(api.writes.filter(({ name: written }) => written === `shop/${FOREIGN}`)).toEqual([]);
      expect(api.writes.length).toBeLessThanOrEqual(reasons);
    }),
    { numRuns: propertyRuns(1_000) },
  );
  vi.useRealTimers();
}, 120_000);
