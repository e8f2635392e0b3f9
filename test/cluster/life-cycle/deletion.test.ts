import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { DnsRecorder } from "../../e2e/support/dns.ts";
import { startFileAgent } from "../support/file-agent.ts";
import { Scene } from "../support/scene.ts";
import { sharedCluster } from "../support/shared.ts";
import { until } from "../support/world.ts";

const ADDRESSES = ["127.0.0.71", "127.0.0.72", "127.0.0.73"] as const;
const [OURS, TOO, THEIRS] = ADDRESSES;
/** What a namespace holds may go in any order. */
const ORDERS = [
  "the namespace at once",
  "the record first",
  "the Secret first",
  "the probes first",
  "the DNSEndpoint first",
];
const KINDS: Record<string, string> = {
  "the record first": "dnsrecords.vedette.dev",
  "the Secret first": "secrets",
  "the probes first": "dnshealthcheckprobes.vedette.dev",
  "the DNSEndpoint first": "dnsendpoints.externaldns.k8s.io",
};

let scene: Scene;

beforeAll(async () => {
  scene = await Scene.start(sharedCluster(), ADDRESSES, {
    settings: { EDGE_STALE_AFTER: "8s", DELETION_TIMEOUT: "16s" },
    // The edge makes three contacts within this time.
    edgeSettings: { EDGE_STALE_AFTER: "6s" },
  });
});
afterAll(() => scene?.stop());
beforeEach(({ onTestFailed }) => onTestFailed(() => scene.explain()));

async function sharesAtEdge(host: string): Promise<string[]> {
  return ((await scene.atEdge(host))?.shares ?? []).map(({ cluster, record }) => `${cluster}: ${record}`);
}

test("a deleted record is withdrawn at the edge and told to the other cluster of its host, and only then let go", async () => {
  const host = `shared.${scene.zone}`;
  await using other = await startFileAgent(
    scene.world.edge,
    "other",
    [`*.${scene.zone}`],
    [scene.record("theirs", { rootHost: host, addresses: [THEIRS] })],
  );
  const dns = new DnsRecorder(other.dns, host);
  try {
    await scene.world.apply(scene.record("shared", { rootHost: host, addresses: [OURS] }));
    await scene.untilPublished(host, [OURS, THEIRS]);
    await until(
      "the other to answer both",
      () => dns.last === `${OURS} ${THEIRS}`,
      undefined,
      () => dns.seen,
    );
    await scene.kubectl("delete", "dnsrecords.vedette.dev", "shared", "-n", scene.namespace, "--wait=false");
    // Each time the edge is asked after the object: one that is gone while the edge has it would be found.
    await until("the record to be gone", async () => {
      const isGone = (await scene.read("shared")) === undefined;
      if (isGone) expect(await sharesAtEdge(host)).toEqual([`other: ${scene.namespace}/theirs`]);
      return isGone;
    });
    await until(
      "the other to answer its own alone",
      () => dns.last === THEIRS,
      undefined,
      () => dns.seen,
    );
    expect(scene.published.targets(host)).toBe("");
    expect(await scene.events("shared")).toContain("Normal Withdrawn");
    console.log(`the other cluster answered: ${dns.seen.join(" → ")}`);
  } finally {
    await dns.stop();
  }
});

describe.concurrent("a namespace that is deleted while the edge is there", () => {
  test.for(ORDERS)("%s: ends", async (order) => {
    const namespace = await fill();
    await takeFirst(order, namespace);
    await scene.kubectl("delete", "namespace", namespace, "--wait=false");
    await untilNamespaceGone(namespace);
    await until(
      "the edge to know none of it",
      async () => (await sharesAtEdge(`${namespace}.${scene.zone}`)).length === 0,
    );
  });
});

describe("while the edge is away", () => {
  let host: string;
  let filled: { order: string; namespace: string }[];

  beforeAll(async () => {
    host = `away.${scene.zone}`;
    await scene.world.apply(scene.record("away", { rootHost: host, addresses: [OURS, TOO] }));
    filled = await Promise.all(ORDERS.map(async (order) => ({ order, namespace: await fill() })));
    await scene.untilPublished(host, [OURS, TOO]);
    await until("the edge to have its share", async () => (await sharesAtEdge(host)).length === 1);
    await scene.world.edge.halt();
  });

  test("a deleted record is out of DNS at once, and let go after the time with a warning", async () => {
    await scene.untilCondition("away", "EdgeReachable", "False NoContact");
    await scene.kubectl("delete", "dnsrecords.vedette.dev", "away", "-n", scene.namespace, "--wait=false");
    const condition = await scene.untilCondition("away", "Withdrawn", "False EdgeUnreachable");
    console.log(`Withdrawn: ${condition.message}`);
    expect(scene.published.targets(host)).toBe("");
    await until("it to be gone", async () => (await scene.read("away")) === undefined);
    expect(await scene.events("away")).toContain("Warning ReleasedWithoutEdge");
  });

  test("namespaces that are deleted end, whatever of them goes first", async () => {
    await Promise.all(
      filled.map(async ({ order, namespace }) => {
        await takeFirst(order, namespace);
        await scene.kubectl("delete", "namespace", namespace, "--wait=false");
      }),
    );
    for (const { namespace } of filled) await untilNamespaceGone(namespace);
  });

  test("once it is back it learns of all that", async () => {
    await scene.world.edge.start();
    const hosts = [host, ...filled.map(({ namespace }) => `${namespace}.${scene.zone}`)];
    await until("the edge to know none of them", async () => {
      const left = await Promise.all(hosts.map(sharesAtEdge));
      return left.flat().length === 0;
    });
  });
});

/** Makes a namespace with a record whose probes need a Secret, and waits until it is in DNS and at the edge. */
async function fill(): Promise<string> {
  const { world, zone } = scene;
  const namespace = await world.cluster.freshNamespace("going");
  const rootHost = `${namespace}.${zone}`;
  const headers = { additionalHeadersRef: { name: "headers" }, allowHeadersInCleartext: true };
  const role = "vedette-header-secrets";
  await scene.kubectl(
    "-n",
    namespace,
    "create",
    "rolebinding",
    role,
    `--clusterrole=${role}`,
    "--serviceaccount=vedette-system:vedette-agent",
  );
  await world.apply(
    { apiVersion: "v1", kind: "Secret", metadata: { name: "headers", namespace }, stringData: { "X-Probe": "probed" } },
    scene.record("going", { rootHost, addresses: [OURS, TOO], healthCheck: headers }, namespace),
  );
  await until(
    "it to be healthy",
    async () => (await scene.condition("going", "Healthy", namespace))?.status === "True",
  );
  await until("its DNSEndpoint to be there", async () => (await world.list("dnsendpoints", namespace)).length === 1);
  return namespace;
}

async function takeFirst(order: string, namespace: string): Promise<void> {
  const kind = KINDS[order];
  if (kind !== undefined) await scene.kubectl("delete", kind, "--all", "-n", namespace, "--wait=false");
}

function untilNamespaceGone(namespace: string): Promise<unknown> {
  const { cluster } = scene.world;
  return until(
    `${namespace} to end`,
    async () => (await cluster.kubectl(["get", "namespace", namespace])).stderr.includes("NotFound"),
    90_000,
  );
}
