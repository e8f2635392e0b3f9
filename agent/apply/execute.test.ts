import { beforeEach, expect, test } from "vitest";
import { FakeApi, FakeCache } from "../../test/support/fake-api.ts";
import { DNS_ENDPOINT } from "../kubernetes/kinds.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import type { WantedObject } from "./desired.ts";
import { nextStep } from "./diff.ts";
import { execute, type Write } from "./execute.ts";

const REF = { name: "shop", namespace: "shop" };
const LABELS = { "app.kubernetes.io/managed-by": "vedette-agent" };

let api: FakeApi;
let cache: FakeCache;

const wanted = (...targets: string[]): WantedObject => ({
  type: "Object",
  kind: DNS_ENDPOINT,
  object: {
    apiVersion: "externaldns.k8s.io/v1alpha1",
    kind: "DNSEndpoint",
    metadata: { ...REF, labels: LABELS },
    spec: { endpoints: [{ dnsName: "shop.test", recordType: "A", targets }] },
  },
});
const stepTo = (...targets: string[]) => nextStep(wanted(...targets), cache.get(REF)) as Write;
const write = (step: Write) => execute(step, { client: api, cache, kind: DNS_ENDPOINT, ref: REF });
const targetsOf = (object: KubeObject | undefined) =>
  (object?.spec as { endpoints: { targets: string[] }[] } | undefined)?.endpoints[0]?.targets;

beforeEach(async () => {
  api = new FakeApi();
  cache = new FakeCache(api);
  expect(await write(stepTo("192.0.2.1", "192.0.2.2"))).toEqual({ type: "Done" });
});

test("what a halted leader had under way is refused once another wrote, and the other's word is known then", async () => {
  const stale = stepTo("192.0.2.1");
  await write(stepTo("192.0.2.2"));
  expect(await write(stale)).toEqual({ type: "Overtaken" });
  expect(targetsOf(api.objects.get("shop/shop"))).toEqual(["192.0.2.2"]);
  expect(targetsOf(cache.get(REF))).toEqual(["192.0.2.2"]);
});

test("what somebody touched before the cache saw it is written with the next look", async () => {
  api.change(REF, (object) => Object.assign(object, { status: { observedGeneration: 1 } }));
  expect(await write(stepTo("192.0.2.1"))).toEqual({ type: "Overtaken" });
  expect(await write(stepTo("192.0.2.1"))).toEqual({ type: "Done" });
  expect(targetsOf(api.objects.get("shop/shop"))).toEqual(["192.0.2.1"]);
});
