import { describe, expect, test } from "vitest";
import type { Wanted } from "../../agent/apply/desired.ts";
import { DNS_ENDPOINT, DNS_HEALTH_CHECK_PROBE, DNS_RECORD } from "../../agent/kubernetes/kinds.ts";
import type { KubeObject } from "../../agent/kubernetes/object.ts";
import { until } from "../e2e/support/until.ts";
import { sharedCluster } from "./support/shared.ts";
import { endpointObject, LABELS, probeObject, recordObject, recordStatus, Writing } from "./support/writing.ts";

const cluster = sharedCluster();
const statusOf = ({ metadata }: KubeObject, status: object): Wanted => {
  const { name, namespace = "", uid = "" } = metadata;
  return { type: "Status", kind: DNS_RECORD, ref: { name, namespace, uid }, status };
};
const scopes = [DNS_ENDPOINT, DNS_HEALTH_CHECK_PROBE].map((kind) => ({ kind, labels: LABELS }));
const wantStatus = (writing: Writing, record: KubeObject, status: object) =>
  writing.writer.want({ wanted: [statusOf(record, status)], scopes: [] });

/** Makes records and waits until the informer has them. */
async function withRecords(writing: Writing, namespace: string, names: readonly string[]): Promise<KubeObject[]> {
  const made: KubeObject[] = [];
  for (const name of names) made.push(await writing.other.create(DNS_RECORD, recordObject(namespace, name)));
  const cache = writing.cacheOf(DNS_RECORD);
  await until("the records to be seen", async () => made.every(({ metadata }) => cache.get(metadata)));
  return made;
}

async function setUp(windowMs?: number) {
  const namespace = await cluster.freshNamespace("writer");
  const writing = await Writing.start(cluster, namespace, windowMs);
  return { namespace, writing };
}

describe("a status", () => {
  test("of twenty at once is the newest in the end, beside another client's labels", async () => {
    const { namespace, writing } = await setUp();
    await using _ = writing;
    const [record] = (await withRecords(writing, namespace, ["shop"])) as [KubeObject];
    const { other } = writing;
    const label = (n: number) =>
      other.apply(
        DNS_RECORD,
        { ...recordObject(namespace, "shop"), metadata: { name: "shop", namespace, labels: { [`edit-${n}`]: "yes" } } },
        { fieldManager: `editor-${n}` },
      );
    const edits = Array.from({ length: 20 }, (_, n) => label(n));
    for (let n = 1; n <= 20; n += 1) wantStatus(writing, record, recordStatus(n));
    await Promise.all(edits);
    await writing.writer.flushed();
    const after = await other.get(DNS_RECORD, record.metadata);
    expect(after?.status).toMatchObject({ conditions: [{ message: "message 20" }] });
    expect(Object.keys(after?.metadata.labels ?? {})).toHaveLength(20);
  });

  test("leaves spec and generation alone over a hundred writes, also optional fields that are absent", async () => {
    const { namespace, writing } = await setUp(0);
    await using _ = writing;
    const [record] = (await withRecords(writing, namespace, ["shop"])) as [KubeObject];
    for (let n = 1; n <= 100; n += 1) {
      wantStatus(writing, record, recordStatus(n));
      await writing.writer.flushed();
    }
    expect(writing.takeWrites()).toHaveLength(100);
    const after = await writing.other.get(DNS_RECORD, record.metadata);
    expect(after?.spec).toEqual(record.spec);
    expect(after?.metadata.generation).toBe(1);
    expect(after?.status).toMatchObject({ conditions: [{ message: "message 100" }] });
  });

  test("loses what is not said any more, and keeps a condition of somebody else's", async () => {
    const { namespace, writing } = await setUp();
    await using _ = writing;
    const [record] = (await withRecords(writing, namespace, ["shop"])) as [KubeObject];
    wantStatus(writing, record, recordStatus(1, { summary: { published: "2/2", unhealthy: "192.0.2.1" } }));
    await writing.writer.flushed();
    const { name, uid = "" } = record.metadata;
    const theirs = {
      type: "Theirs",
      status: "True",
      reason: "Said",
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    const { apiVersion, kind } = record;
    await writing.other.apply(
      DNS_RECORD,
      { apiVersion, kind, metadata: { name, namespace, uid }, status: { conditions: [theirs] } },
      { fieldManager: "somebody", subresource: "status" },
    );
    wantStatus(writing, record, recordStatus(2, { summary: { published: "2/2" } }));
    await writing.writer.flushed();
    const after = await writing.other.get(DNS_RECORD, record.metadata);
    expect(after?.status).toMatchObject({
      summary: { published: "2/2" },
      conditions: [{ type: "Ready" }, { type: "Theirs" }],
    });
    expect(after?.status).not.toHaveProperty("summary.unhealthy");
  });

  test("of a record that was deleted and created again is not written to the new one, nor brings the old one back", async () => {
    const { namespace, writing } = await setUp();
    await using _ = writing;
    const [old] = (await withRecords(writing, namespace, ["shop"])) as [KubeObject];
    await writing.other.delete(DNS_RECORD, old.metadata);
    wantStatus(writing, old, recordStatus(1));
    await writing.writer.flushed();
    expect(await writing.other.get(DNS_RECORD, old.metadata)).toBeUndefined();
    const [made] = (await withRecords(writing, namespace, ["shop"])) as [KubeObject];
    wantStatus(writing, old, recordStatus(2));
    await writing.writer.flushed();
    expect((await writing.other.get(DNS_RECORD, made.metadata))?.status).toBeUndefined();
  });

  test("that another writer forces to something else makes no hot loop, and is ours once it stops", async () => {
    const { namespace, writing } = await setUp();
    await using _ = writing;
    const [record] = (await withRecords(writing, namespace, ["shop"])) as [KubeObject];
    const { apiVersion, kind, metadata } = record;
    const { name, uid = "" } = metadata;
    const spoil = (n: number) =>
      writing.other.apply(
        DNS_RECORD,
        { apiVersion, kind, metadata: { name, namespace, uid }, status: recordStatus(-n) },
        { fieldManager: "somebody", subresource: "status" },
      );
    wantStatus(writing, record, recordStatus(1));
    await writing.writer.flushed();
    writing.takeWrites();
    const startedAt = performance.now();
    for (let n = 1; n <= 300; n += 1) await spoil(n);
    await until("the fight to be told", async () => {
      await spoil(1);
      return writing.logged.some((line) => line.includes("again and again"));
    });
    // Three writes succeed and are undone, each after a few that conflict. Then there is one every few seconds, not one for each
    // of the rival's 300.
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(writing.takeWrites().length).toBeLessThan(25 + seconds / 2);
    expect(writing.logged).toHaveLength(1);
    const isOurs = async () => {
      const after = (await writing.other.get(DNS_RECORD, metadata)) as { status?: ReturnType<typeof recordStatus> };
      return after.status?.conditions[0]?.message === "message 1";
    };
    await until("the status to be ours again", isOurs, 180_000);
  });
});

test("five hundred records that flip cost one write each, and nothing while they stay", async () => {
  const { namespace, writing } = await setUp(1_000);
  await using _ = writing;
  const names = Array.from({ length: 500 }, (_, n) => `r${n}`);
  const records = await withRecords(writing, namespace, names);
  const want = (n: number, of: number) =>
    writing.writer.want({
      wanted: records.map((record, at) => statusOf(record, recordStatus(at < of ? n : 0))),
      scopes: [],
    });
  const counted = async (n: number, of: number) => {
    const startedAt = performance.now();
    want(n, of);
    await writing.writer.flushed();
    console.log(`${of} of 500 records flipped: written after ${Math.round(performance.now() - startedAt)} ms`);
    return writing.takeWrites().length;
  };
  expect(await counted(0, 500)).toBe(500);
  expect(await counted(1, 50)).toBe(50);
  expect(await counted(2, 500)).toBe(500);
  expect(await counted(2, 500)).toBe(0);
});

describe("probes and DNSEndpoints", () => {
  test("are created, changed and removed with what is wanted; what is foreign stays", async () => {
    const { namespace, writing } = await setUp();
    await using _ = writing;
    const { other, writer } = writing;
    const foreign = probeObject(namespace, "foreign", {}).object;
    await other.create(DNS_HEALTH_CHECK_PROBE, { ...foreign, metadata: { name: "foreign", namespace } });
    writer.want({ wanted: [probeObject(namespace, "a", { healthy: true }), probeObject(namespace, "b", {})], scopes });
    await writer.flushed();
    expect(writing.takeWrites()).toHaveLength(4);
    expect((await other.get(DNS_HEALTH_CHECK_PROBE, { name: "a", namespace }))?.status).toMatchObject({
      healthy: true,
    });
    writer.want({ wanted: [probeObject(namespace, "a", { healthy: true })], scopes });
    await until(
      "b to go",
      async () => (await other.get(DNS_HEALTH_CHECK_PROBE, { name: "b", namespace })) === undefined,
    );
    await writer.flushed();
    expect(writing.takeWrites()).toHaveLength(1);
    expect(await other.get(DNS_HEALTH_CHECK_PROBE, { name: "foreign", namespace })).toBeDefined();
  });

  test("are written before the answer, and not over what somebody else has under the name", async () => {
    const { namespace, writing } = await setUp();
    await using _ = writing;
    const { other, writer } = writing;
    const { object } = endpointObject(namespace, "theirs", ["203.0.113.1"]);
    const theirs = await other.create(DNS_ENDPOINT, { ...object, metadata: { name: "theirs", namespace } });
    const wanted = [
      endpointObject(namespace, "ours", ["192.0.2.1"]),
      endpointObject(namespace, "theirs", ["192.0.2.1"]),
    ];
    const failures = await writer.publish({ wanted, scopes });
    expect(failures).toMatchObject([{ reason: "Foreign", ref: { name: "theirs" } }]);
    expect((await other.get(DNS_ENDPOINT, { name: "ours", namespace }))?.spec).toMatchObject({
      endpoints: [{ targets: ["192.0.2.1"] }],
    });
    await writer.publish({ wanted: [], scopes });
    expect(await other.get(DNS_ENDPOINT, { name: "ours", namespace })).toBeUndefined();
    expect((await other.get(DNS_ENDPOINT, theirs.metadata))?.metadata).toMatchObject({
      uid: theirs.metadata.uid,
      resourceVersion: theirs.metadata.resourceVersion,
    });
  });

  test("hand a name over without a moment in which nobody holds it", async () => {
    const { namespace, writing } = await setUp();
    await using _ = writing;
    const { other, writer } = writing;
    await writer.publish({ wanted: [endpointObject(namespace, "old", ["192.0.2.1"], "x.example.com")], scopes });
    const seen: number[] = [];
    const look = async () => seen.push((await other.list(DNS_ENDPOINT, { namespace })).items.length);
    const handed = writer.publish({
      wanted: [endpointObject(namespace, "new", ["192.0.2.1"], "x.example.com")],
      scopes,
    });
    await Promise.all([handed, look(), look(), look(), look()]);
    await look();
    expect(Math.min(...seen)).toBe(1);
    expect((await other.list(DNS_ENDPOINT, { namespace })).items.map(({ metadata }) => metadata.name)).toEqual(["new"]);
  });

  test("come back when somebody deletes or changes them", async () => {
    const { namespace, writing } = await setUp();
    await using _ = writing;
    const { other, writer } = writing;
    await writer.publish({ wanted: ["a", "b"].map((name) => endpointObject(namespace, name, ["192.0.2.1"])), scopes });
    await other.delete(DNS_ENDPOINT, { name: "a", namespace });
    const { object } = endpointObject(namespace, "b", ["203.0.113.9"]);
    await other.apply(DNS_ENDPOINT, object, { fieldManager: "somebody" });
    const targets = async (name: string) =>
      JSON.stringify((await other.get(DNS_ENDPOINT, { name, namespace }))?.spec ?? {}).includes("192.0.2.1");
    await until("both to be as wanted", async () => (await targets("a")) && (await targets("b")));
  });

  test("in a namespace that ends are let go without a word", async () => {
    const { namespace, writing } = await setUp();
    await using _ = writing;
    const { writer, other } = writing;
    const wanted = [probeObject(namespace, "a", {}), probeObject(namespace, "b", {})];
    writer.want({ wanted, scopes });
    await writer.flushed();
    await cluster.kubectlOk(["delete", "namespace", namespace, "--wait=false"]);
    await until(
      "the probes to go",
      async () => (await other.list(DNS_HEALTH_CHECK_PROBE, { namespace })).items.length === 0,
    );
    writer.want({ wanted, scopes });
    await writer.flushed();
    expect(writing.logged).toEqual([]);
    expect(writing.takeWrites().length).toBeLessThan(20);
  });
});
