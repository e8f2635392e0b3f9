import { describe, expect, test } from "vitest";
import { ApiServerClock } from "../../agent/finalizer/api-server-clock.ts";
import { FINALIZER } from "../../agent/finalizer/finalizer.ts";
import { FinalizerController } from "../../agent/finalizer/finalizer-controller.ts";
import { KubeClient } from "../../agent/kubernetes/client.ts";
import { Informer } from "../../agent/kubernetes/informer.ts";
import { DNS_RECORD, SECRET } from "../../agent/kubernetes/kinds.ts";
import { type KubeObject, refKey } from "../../agent/kubernetes/object.ts";
import { systemClock } from "../../agent/runtime/clock.ts";
import { until } from "../e2e/support/until.ts";
import { sharedCluster } from "./support/shared.ts";
import { recordObject, recordStatus } from "./support/writing.ts";

const cluster = sharedCluster();
const elapsedMs = () => performance.now();
const accepted = {
  conditions: [
    { type: "Accepted", status: "True", reason: "Accepted", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" },
  ],
};

/** The life cycle of the records of one namespace, with an informer and an edge with scripted answers. */
class Cycle implements AsyncDisposable {
  readonly namespace: string;
  readonly client = new KubeClient(cluster.config);
  readonly events: string[] = [];
  readonly logged: string[] = [];
  readonly informer: Informer;
  readonly lifecycle: FinalizerController;
  isEdgeReachable = true;
  calls = 0;

  constructor(namespace: string, deletionTimeoutMs = 600_000) {
    this.namespace = namespace;
    const log = (_level: string, message: string) => void this.logged.push(message);
    const apiClock = new ApiServerClock(elapsedMs);
    this.informer = new Informer({
      client: this.client,
      kind: DNS_RECORD,
      namespace,
      resyncMs: 600_000,
      log,
      onChange: () => this.lifecycle?.changed(),
    });
    this.lifecycle = new FinalizerController({
      client: new KubeClient(cluster.config, { onRequest: () => (this.calls += 1) }),
      records: this.informer,
      apiClock,
      deletionTimeoutMs,
      concurrency: 4,
      isEdgeReachable: () => this.isEdgeReachable,
      isServed: () => false,
      isInDns: () => false,
      onEvent: (record, { type, reason }) => this.events.push(`${type} ${reason} ${record.metadata.name}`),
      log,
      clock: systemClock,
      random: Math.random,
    });
    this.informer.start();
  }

  get members(): KubeObject[] {
    return this.informer.list().filter((record) => this.lifecycle.isMember(record));
  }

  /** Makes records that the edge has taken, as their status says. */
  async taken(...names: string[]): Promise<void> {
    for (const name of names) {
      const { metadata, apiVersion, kind } = await this.client.create(DNS_RECORD, recordObject(this.namespace, name));
      const same = { name, namespace: this.namespace, uid: metadata.uid ?? "" };
      const object = { apiVersion, kind, metadata: same, status: accepted };
      await this.client.apply(DNS_RECORD, object, { fieldManager: "vedette-agent", subresource: "status" });
    }
    const isOurs = ({ metadata }: KubeObject) => metadata.finalizers?.includes(FINALIZER) ?? false;
    await until("our finalizers", () => this.informer.list().filter(isOurs).length >= names.length);
    this.edgeHolds(...names);
  }

  edgeHolds(...names: string[]): void {
    const keys = new Set(names.map((name) => refKey({ namespace: this.namespace, name })));
    this.lifecycle.edgeStateChanged(keys, keys);
  }

  get = (name: string) => this.client.get(DNS_RECORD, { name, namespace: this.namespace });
  delete = (name: string) => this.client.delete(DNS_RECORD, { name, namespace: this.namespace });
  untilGone = (name: string) => until(`${name} to go`, async () => (await this.get(name)) === undefined);

  async [Symbol.asyncDispose](): Promise<void> {
    await this.lifecycle.stop();
    await this.informer.stop();
  }
}

const fresh = () => cluster.freshNamespace("lifecycle");

describe("a record", () => {
  test("has our finalizer before it takes part, beside those of others; spec and generation stay", async () => {
    await using cycle = new Cycle(await fresh());
    const made = recordObject(cycle.namespace, "shop");
    await cycle.client.create(DNS_RECORD, {
      ...made,
      metadata: { ...made.metadata, finalizers: ["example.com/other"] },
    });
    await until("the record to be a member", () => cycle.members.length === 1);
    const there = await cycle.get("shop");
    expect(there?.metadata.finalizers?.toSorted()).toEqual(["example.com/other", FINALIZER]);
    expect(there?.metadata.generation).toBe(1);
    expect(cycle.calls).toBe(1);
    await cycle.delete("shop");
    await until(
      "our finalizer to go",
      async () => !(await cycle.get("shop"))?.metadata.finalizers?.includes(FINALIZER),
    );
    const held = (await cycle.get("shop")) as KubeObject;
    expect(held.metadata.finalizers).toEqual(["example.com/other"]);
    await cycle.client.replace(DNS_RECORD, { ...held, metadata: { ...held.metadata, finalizers: [] } });
  });

  test("goes once the edge has forgotten it, not before, and the agent may be restarted meanwhile", async () => {
    const namespace = await fresh();
    {
      await using cycle = new Cycle(namespace);
      await cycle.taken("shop");
      await cycle.delete("shop");
      await until("the deletion to be seen", () => cycle.members.length === 0);
      const [record] = cycle.informer.list() as [KubeObject];
      expect(cycle.lifecycle.conditionOf(record)).toMatchObject({
        type: "Withdrawn",
        status: "False",
        reason: "Withdrawing",
      });
    }
    await using cycle = new Cycle(namespace);
    await until("the record to be seen", () => cycle.informer.list().length === 1);
    cycle.lifecycle.edgeStateChanged(new Set(), undefined);
    expect((await cycle.get("shop"))?.metadata.finalizers).toEqual([FINALIZER]);
    cycle.edgeHolds();
    await cycle.untilGone("shop");
    expect(cycle.events).toEqual(["Normal Withdrawn shop"]);
  });

  test("goes without the edge after the time, by the API server's clock", async () => {
    await using cycle = new Cycle(await fresh(), 3_000);
    cycle.isEdgeReachable = false;
    await cycle.taken("shop");
    await cycle.delete("shop");
    await until("the deletion to be seen", () => cycle.members.length === 0);
    const [record] = cycle.informer.list() as [KubeObject];
    expect(cycle.lifecycle.conditionOf(record)).toMatchObject({ reason: "EdgeUnreachable" });
    await cycle.untilGone("shop");
    expect(cycle.events).toEqual(["Warning ReleasedWithoutEdge shop"]);
  });

  test("that the edge never took goes at once", async () => {
    await using cycle = new Cycle(await fresh());
    await cycle.client.create(DNS_RECORD, recordObject(cycle.namespace, "shop"));
    await until("the record to be a member", () => cycle.members.length === 1);
    await cycle.delete("shop");
    await cycle.untilGone("shop");
  });

  test("goes also where an exported manifest with our finalizer was applied", async () => {
    await using cycle = new Cycle(await fresh());
    await cycle.taken("shop");
    const exported = (await cycle.get("shop")) as KubeObject;
    const { name, namespace, finalizers } = exported.metadata;
    const { apiVersion, kind, spec } = exported;
    await cycle.client.apply(
      DNS_RECORD,
      { apiVersion, kind, metadata: { name, namespace: namespace ?? "", finalizers: finalizers ?? [] }, spec },
      { fieldManager: "gitops" },
    );
    await cycle.delete("shop");
    cycle.edgeHolds();
    await cycle.untilGone("shop");
  });

  test("is not brought back by a late claim, nor is one of its name taken for it", async () => {
    await using cycle = new Cycle(await fresh());
    for (let round = 0; round < 10; round += 1) {
      await cycle.client.create(DNS_RECORD, recordObject(cycle.namespace, "shop"));
      await cycle.delete("shop");
      await cycle.untilGone("shop");
    }
    await cycle.client.create(DNS_RECORD, recordObject(cycle.namespace, "shop"));
    await until("the record to be a member", () => cycle.members.length === 1);
    expect(cycle.logged).toEqual([]);
  });
});

describe("a namespace that is deleted", () => {
  const secret = (namespace: string): KubeObject => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "headers", namespace },
  });

  test.each(["the namespace at once", "the Secret first", "the record first", "while the edge is away"])(
    "%s: ends",
    async (order) => {
      const namespace = await fresh();
      await using cycle = new Cycle(namespace, order === "while the edge is away" ? 3_000 : 600_000);
      await cycle.client.create(SECRET, secret(namespace));
      await cycle.taken("shop", "api");
      if (order === "the Secret first") await cycle.client.delete(SECRET, { name: "headers", namespace });
      if (order === "the record first") await cycle.delete("shop");
      await cluster.kubectlOk(["delete", "namespace", namespace, "--wait=false"]);
      await until("no record to take part", () => cycle.members.length === 0);
      if (order === "while the edge is away") cycle.isEdgeReachable = false;
      else cycle.edgeHolds();
      const isGone = async () => (await cluster.kubectl(["get", "namespace", namespace])).stderr.includes("NotFound");
      await until("the namespace to go", isGone, 90_000);
      expect(cycle.events).toHaveLength(2);
      expect(cycle.logged).toEqual([]);
    },
  );
});

test("a status beside the finalizer: neither writer takes anything from the other", async () => {
  await using cycle = new Cycle(await fresh());
  await cycle.client.create(DNS_RECORD, recordObject(cycle.namespace, "shop"));
  await until("the record to be a member", () => cycle.members.length === 1);
  const { apiVersion, kind, metadata } = (await cycle.get("shop")) as KubeObject;
  const same = { name: metadata.name, namespace: cycle.namespace, uid: metadata.uid ?? "" };
  for (let n = 1; n <= 10; n += 1)
    await cycle.client.apply(
      DNS_RECORD,
      { apiVersion, kind, metadata: same, status: recordStatus(n) },
      { fieldManager: "vedette-agent", subresource: "status" },
    );
  const there = await cycle.get("shop");
  expect(there?.metadata.finalizers).toEqual([FINALIZER]);
  expect(there?.status).toMatchObject({ conditions: [{ message: "message 10" }] });
});
