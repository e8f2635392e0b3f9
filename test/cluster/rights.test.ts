import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { KubeClient } from "../../agent/kubernetes/client.ts";
import { GATEWAY } from "../../agent/kubernetes/kinds.ts";
import { addressOf } from "../support/gateways.ts";
import type { AuditEvent } from "./support/audit.ts";
import { type ControlPlane, startControlPlane } from "./support/control-plane.ts";
import { installCrds } from "./support/crds.ts";
import { Scene } from "./support/scene.ts";
import { until } from "./support/world.ts";

const AGENT = "system:serviceaccount:vedette-system:vedette-agent";
const DEPLOY = join(import.meta.dirname, "..", "..", "deploy", "agent");
const ADDRESSES = ["127.0.0.121", "127.0.0.122"] as const;
const RECORDS = "dnsrecords.vedette.dev";
/** Used where the API server answers with a conflict, which no test can have at will: the writer's own tests show it. */
const AFTER_A_CONFLICT = ["get dnsrecords"];

let plane: ControlPlane;
let scene: Scene;

beforeAll(async () => {
  plane = await startControlPlane();
  await installCrds(plane);
  scene = await Scene.start(plane, ADDRESSES, { replicas: 2 });
});
afterAll(async () => {
  await scene?.stop();
  await plane?.stop();
});

interface Rule {
  resources: string[];
  verbs: string[];
}

/** `verb resource`, of every rule of the roles in `deploy/agent`. */
async function given(): Promise<string[]> {
  const documents = parseAllDocuments(await plane.kubectlOk(["kustomize", DEPLOY])).map((document) => document.toJS());
  const rules = documents.flatMap(({ kind, rules = [] }): Rule[] => (/^(Cluster)?Role$/.test(kind) ? rules : []));
  const rights = rules.flatMap(({ resources, verbs }) =>
    verbs.flatMap((verb) => resources.map((one) => `${verb} ${one}`)),
  );
  return [...new Set(rights)].sort();
}

const ofAgent = () => plane.auditEvents().filter(({ user }) => user === AGENT);

/** What the agent's account needed for what it did: a server-side apply that makes an object is a patch and a creation. */
function used(): string[] {
  const needed = ({ verb, resource, code }: AuditEvent) =>
    [verb, ...(verb === "patch" && code === 201 ? ["create"] : [])].map((one) => `${one} ${resource}`);
  return [...new Set(ofAgent().flatMap(needed))].sort();
}

test("a whole life uses every right that the roles give, and lacks none", async ({ onTestFailed }) => {
  onTestFailed(() => scene.explain());
  await secretsAndExportedManifests();
  await gatewaysAndPolicies();
  await failover();
  await takeover();
  await deletion();
  const refused = ofAgent().filter(({ code }) => code === 403);
  console.log(`${ofAgent().length} requests of ${used().length} kinds: ${used().join(", ")}`);
  expect(refused.map(({ verb, resource, namespace, name }) => `${verb} ${resource} ${namespace}/${name}`)).toEqual([]);
  expect([...new Set([...used(), ...AFTER_A_CONFLICT])].sort()).toEqual(await given());
});

async function secretsAndExportedManifests(): Promise<void> {
  const { namespace, world, zone } = scene;
  const role = "vedette-header-secrets";
  const account = "--serviceaccount=vedette-system:vedette-agent";
  await scene.kubectl("-n", namespace, "create", "rolebinding", role, `--clusterrole=${role}`, account);
  const healthCheck = { additionalHeadersRef: { name: "headers" }, allowHeadersInCleartext: true };
  const made = scene.record("own", { rootHost: `own.${zone}`, addresses: ADDRESSES, healthCheck });
  await world.apply(
    { apiVersion: "v1", kind: "Secret", metadata: { name: "headers", namespace }, stringData: { "X-Probe": "probed" } },
    made,
  );
  await scene.untilPublished(`own.${zone}`, ADDRESSES);
  // As a manifest that was exported from the cluster names it.
  const finalizers = (await scene.read("own"))?.metadata.finalizers;
  const exported = { ...made, metadata: { name: "own", namespace, finalizers } };
  await plane.kubectlOk(["apply", "--server-side", "--force-conflicts", "-f", "-"], JSON.stringify(exported));
}

async function gatewaysAndPolicies(): Promise<void> {
  const { namespace, world, zone, port } = scene;
  const { apiVersion, kind } = GATEWAY;
  const metadata = { name: "web", namespace };
  const listeners = [{ name: "web", hostname: `web.${zone}`, protocol: "HTTP", port }];
  const healthCheck = { interval: "1s", timeout: "1s", failureThreshold: 1, staleAfter: "30s" };
  await world.apply(
    { apiVersion, kind, metadata, spec: { gatewayClassName: "any", listeners } },
    {
      apiVersion: "vedette.dev/v1alpha1",
      kind: "DNSHealthCheckPolicy",
      metadata,
      spec: { targetRef: { name: "web" }, healthCheck },
    },
  );
  const status = { addresses: ADDRESSES.map(addressOf) };
  const asController = { fieldManager: "gateways", subresource: "status" } as const;
  await new KubeClient(plane.config).apply(GATEWAY, { apiVersion, kind, metadata, status }, asController);
  await scene.untilPublished(`web.${zone}`, ADDRESSES);
}

async function failover(): Promise<void> {
  const hosts = [`own.${scene.zone}`, `web.${scene.zone}`];
  scene.gateways[0]!.status = 500;
  for (const host of hosts) await scene.untilPublished(host, [ADDRESSES[1]]);
  scene.gateways[0]!.status = 200;
  for (const host of hosts) await scene.untilPublished(host, ADDRESSES);
}

async function takeover(): Promise<void> {
  const [first, second] = scene.world.replicas;
  await first!.process.stop("SIGTERM");
  await until("the second replica to lead", () => second!.isLeader());
  await first!.process.start();
  // What reaches the first replica now is handed on.
  await failover();
}

async function deletion(): Promise<void> {
  // The gateway stays: what is derived from it is the agent's to delete, and not the garbage collector's.
  await scene.kubectl("delete", "dnshealthcheckpolicies", "web", "-n", scene.namespace);
  await scene.untilPublished(`web.${scene.zone}`, []);
  await scene.kubectl("delete", RECORDS, "own", "-n", scene.namespace, "--timeout=60s");
  await scene.untilPublished(`own.${scene.zone}`, []);
}
