import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { KubeClient } from "../../../agent/kubernetes/client.ts";
import type { Kind } from "../../../agent/kubernetes/kinds.ts";
import { until } from "../../e2e/support/until.ts";
import { configOf } from "../support/cluster.ts";
import { type ControlPlane, startControlPlane } from "../support/control-plane.ts";
import { FaultyProxy } from "./faulty-proxy.ts";
import { CONFIG_MAP, configMap, Followed, versionsOf } from "./followed.ts";

const CRD: Kind = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
};
const THING: Kind = { apiVersion: "test.vedette.dev/v1", kind: "Thing", plural: "things", namespaced: true };
const THING_CRD = {
  apiVersion: CRD.apiVersion,
  kind: CRD.kind,
  metadata: { name: "things.test.vedette.dev" },
  spec: {
    group: "test.vedette.dev",
    scope: "Namespaced",
    names: { kind: "Thing", plural: "things" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};
const thing = (namespace: string, name: string) => ({
  apiVersion: THING.apiVersion,
  kind: THING.kind,
  metadata: { name, namespace, labels: { "test/of": "machinery" } },
});

let plane: ControlPlane;
let truth: KubeClient;
let namespace: string;
const ending: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  plane = await startControlPlane({ controllerManager: false });
  truth = new KubeClient(plane.config);
});
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});
afterAll(() => plane.stop());

/** An informer with two objects, behind a proxy that can inject faults. */
async function follow(more: { quietMs?: number } = {}) {
  namespace = await plane.freshNamespace("outages");
  for (const name of ["a", "b"]) await truth.create(CONFIG_MAP, configMap(namespace, name));
  const proxy = new FaultyProxy(plane.config);
  const config = await proxy.start();
  const followed = new Followed(config, truth, namespace, more);
  ending.push(
    () => proxy.stop(),
    () => followed.informer.stop(),
  );
  await followed.agrees();
  return { proxy, config, followed };
}

test.each(["apiserver", "etcd"] as const)("the %s is killed and comes back: nothing is lost", async (which) => {
  const { followed } = await follow();
  const { held, requests } = followed;
  await plane[which].stop("SIGKILL");
  if (which === "apiserver") await until("three tries", () => followed.requests >= requests + 3);
  expect(followed.requests).toBeLessThanOrEqual(requests + 5);
  expect([followed.held, followed.removed]).toEqual([held, []]);
  await plane[which].start();
  await until("the API server to take writes", () =>
    truth.apply(CONFIG_MAP, configMap(namespace, "c"), { fieldManager: "test" }).then(
      () => true,
      () => false,
    ),
  );
  await truth.delete(CONFIG_MAP, { name: "a", namespace });
  await followed.agrees();
  expect(followed.removed).toEqual(["a"]);
});

test("an API server that is halted and goes on", async () => {
  const { followed } = await follow({ quietMs: 6_000 });
  const { held } = followed;
  plane.apiserver.pause();
  await until("the silence to be noticed", () => followed.informer.lastError);
  expect([followed.held, followed.removed]).toEqual([held, []]);
  plane.apiserver.resume();
  await truth.delete(CONFIG_MAP, { name: "a", namespace });
  await followed.agrees();
  expect(followed.removed).toEqual(["a"]);
});

test("what happened before a compaction is found by reading all again: 410", async () => {
  const { proxy, followed } = await follow();
  proxy.faultFor = () => "reset";
  proxy.cut();
  await truth.delete(CONFIG_MAP, { name: "a", namespace });
  await truth.create(CONFIG_MAP, configMap(namespace, "c"));
  await plane.compact();
  await plane.apiserver.stop("SIGKILL");
  await plane.apiserver.start();
  const seen = proxy.seen.length;
  proxy.faultFor = () => undefined;
  await followed.agrees();
  expect(followed.removed).toEqual(["a"]);
  expect(proxy.seen.length - seen).toBeLessThanOrEqual(5);
});

test("a list of several pages is whole, though etcd is compacted between two of them", async () => {
  const { proxy, config, followed } = await follow();
  await followed.informer.stop();
  const names = Array.from({ length: 1_001 }, (_, index) => `page-${index}`);
  for (let start = 0; start < names.length; start += 100) {
    const some = names.slice(start, start + 100);
    await Promise.all(some.map((name) => truth.create(CONFIG_MAP, configMap(namespace, name))));
  }
  let pages = 0;
  proxy.beforeForward = async ({ url }) => {
    if (!url.includes("continue=")) return;
    pages += 1;
    if (pages === 1) await plane.compact();
  };
  const whole = new Followed(config, truth, namespace);
  ending.push(() => whole.informer.stop());
  await whole.synced();
  expect(whole.held).toHaveLength(1_003);
  await whole.agrees();
});

test("a kind comes, goes with its objects, and comes again", async () => {
  namespace = await plane.freshNamespace("outages");
  const followed = new Followed(plane.config, truth, namespace, { kind: THING, unknownRetryMs: 500 });
  ending.push(() => followed.informer.stop());
  await followed.synced();
  expect([followed.informer.isUnknown, followed.informer.lastError]).toEqual([true, undefined]);
  for (const round of ["first", "second"]) {
    await truth.apply(CRD, THING_CRD, { fieldManager: "test" });
    await until("the kind to be known", () => !followed.informer.isUnknown);
    const { metadata } = await until("the kind to be served", () =>
      truth.create(THING, thing(namespace, round)).catch(() => false as const),
    );
    await until(
      "the object",
      () => versionsOf(followed.informer.list()).join() === `${round}@${metadata.resourceVersion}`,
    );
    await truth.delete(CRD, { name: THING_CRD.metadata.name });
    await until("the kind to be gone", () => followed.informer.isUnknown && followed.held.length === 0);
  }
  expect(followed.removed).toEqual(["first", "second"]);
});

test("an account without the right says so, and reads as soon as it has it", async () => {
  namespace = await plane.freshNamespace("outages");
  await truth.create(CONFIG_MAP, configMap(namespace, "a"));
  await plane.kubectlOk(["create", "serviceaccount", "reader", "-n", namespace]);
  const config = configOf(await plane.kubeconfigFor(namespace, "reader"));
  const followed = new Followed(config, truth, namespace);
  ending.push(() => followed.informer.stop());
  await until("the trouble", () => followed.informer.lastError);
  expect(followed.informer.lastError).toContain(
    `403 Forbidden: list configmaps: configmaps is forbidden: User "system:serviceaccount:${namespace}:reader" cannot list`,
  );
  expect(followed.informer.isSynced).toBe(false);
  await plane.kubectlOk(["create", "role", "r", "-n", namespace, "--verb=list,watch", "--resource=configmaps"]);
  const account = `--serviceaccount=${namespace}:reader`;
  await plane.kubectlOk(["create", "rolebinding", "r", "-n", namespace, "--role=r", account]);
  await followed.agrees();
});
