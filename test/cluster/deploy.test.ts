import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import type { KubeObject } from "../../agent/kubernetes/object.ts";
import { readSettings, variableOf } from "../../agent/runtime/settings.ts";
import { settingsSchema } from "../../agent/runtime/settings-schema.ts";
import { type ControlPlane, startControlPlane } from "./support/control-plane.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const AGENT = "system:serviceaccount:vedette-system:vedette-agent";
const DOCS = readFileSync(join(ROOT, "docs", "kubernetes.md"), "utf8");

const EMBEDDED_DNS = "vedette/deploy/components/embedded-dns";

/** As the documentation has it: a kustomization of the user's own beside a clone. */
const KUSTOMIZATION = yamlBlocks().find((block) => block.includes("kind: Kustomization")) ?? "";

let plane: ControlPlane;
let folder: string;
beforeAll(async () => {
  plane = await startControlPlane({ controllerManager: false });
  folder = mkdtempSync(join(tmpdir(), "vedette-deploy-"));
  writeFileSync(join(folder, "kustomization.yaml"), fromFolder(`${KUSTOMIZATION}components: [${EMBEDDED_DNS}]\n`));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await plane.stop();
});

/** Paths of kustomizations are relative to their folder. */
const fromFolder = (text: string) => text.replaceAll("vedette/deploy", relative(folder, join(ROOT, "deploy")));

function yamlBlocks(): string[] {
  return [...DOCS.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, block = ""]) => block);
}

async function rendered(place: string): Promise<KubeObject[]> {
  const text = await plane.kubectlOk(["kustomize", place]);
  return parseAllDocuments(text).map((document) => document.toJS());
}

const named = (objects: readonly KubeObject[], kind: string) => objects.filter((object) => object.kind === kind);

interface PodTemplate {
  spec: { containers: { ports: { name: string; containerPort: number }[]; env: { name: string; value?: string }[] }[] };
}

function podOf(objects: readonly KubeObject[]): PodTemplate {
  const { template } = named(objects, "Deployment")[0]!.spec as { template: PodTemplate };
  return template;
}

describe("what kustomize makes of deploy/", () => {
  test("holds every definition that there is", async () => {
    const crds = readdirSync(join(ROOT, "deploy", "crds")).map((file) =>
      parse(readFileSync(join(ROOT, "deploy", "crds", file), "utf8")),
    );
    expect(crds.length).toBeGreaterThan(0);
    const installed = named(await rendered(join(ROOT, "deploy")), "CustomResourceDefinition");
    expect(installed).toEqual(expect.arrayContaining(crds));
  });

  test("gives the agent settings that it takes, and ports that it listens on", async () => {
    const objects = await rendered(folder);
    const [container] = podOf(objects).spec.containers;
    const [map] = named(objects, "ConfigMap");
    const secretFile = join(folder, "secret");
    writeFileSync(secretFile, `whsec_${Buffer.alloc(32).toString("base64")}`);
    // What the pod's own fields are at run time.
    const ofPod = { VEDETTE_NAMESPACE: "vedette-system", VEDETTE_POD_NAME: "x-1", VEDETTE_FORWARD_ADDRESS: "10.0.0.1" };
    const environment = { ...map?.data, ...ofPod, VEDETTE_SECRET_FILE: secretFile };
    const known = Object.keys(settingsSchema.shape).map(variableOf);
    expect(known).toEqual(expect.arrayContaining(Object.keys(environment)));
    const given = [...Object.keys(map?.data ?? {}), ...(container?.env ?? []).map(({ name }) => name)];
    expect(new Set(given)).toEqual(new Set(Object.keys(environment)));
    const settings = readSettings([], environment);
    if (settings === "help") throw new Error("no help was asked for");
    const { webhookPort, operationsPort, dnsPort, kubernetes, publisher } = settings;
    expect({ kubernetes, publisher }).toEqual({ kubernetes: true, publisher: ["embedded"] });
    expect(
      Object.fromEntries((container?.ports ?? []).map(({ name, containerPort }) => [name, containerPort])),
    ).toEqual({
      webhook: webhookPort,
      operations: operationsPort,
      "dns-udp": dnsPort,
      "dns-tcp": dnsPort,
    });
  });

  test("publishes through external-dns unless the component for embedded DNS is there", async () => {
    const objects = await rendered(join(ROOT, "deploy"));
    expect(named(objects, "ConfigMap")[0]?.data).toMatchObject({ VEDETTE_PUBLISHER: "external-dns" });
    expect(named(objects, "Service").map(({ metadata }) => metadata.name)).toEqual(["vedette-agent"]);
  });
});

describe("applied to an API server", () => {
  beforeAll(async () => {
    const applied = await plane.kubectl(["apply", "--warnings-as-errors", "-k", folder]);
    expect([applied.code, applied.stderr]).toEqual([0, ""]);
    await plane.kubectlOk(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
  });

  test("nothing differs from what was applied: no field that the server knows otherwise", async () => {
    const { code, stdout } = await plane.kubectl(["diff", "-k", folder]);
    expect([code, stdout]).toEqual([0, ""]);
  });

  test("its pods pass Pod Security restricted, which is in force", async () => {
    const pod = (spec: object) =>
      JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "x", namespace: "vedette-system" }, spec });
    const { spec } = podOf(await rendered(folder));
    const args = ["apply", "--dry-run=server", "--warnings-as-errors", "-f", "-"];
    const ours = await plane.kubectl(args, pod(spec));
    expect([ours.code, ours.stderr]).toEqual([0, ""]);
    const other = await plane.kubectl(
      args,
      pod({ serviceAccountName: "vedette-agent", containers: [{ name: "x", image: "x" }] }),
    );
    expect(other.stderr).toContain('violates PodSecurity "restricted:latest"');
  });

  test("the documentation's own objects are taken", async () => {
    const blocks = yamlBlocks().filter((block) => block.startsWith("apiVersion: vedette.dev/"));
    expect(blocks.length).toBeGreaterThan(1);
    await plane.kubectlOk(["create", "namespace", "shop"]);
    const args = ["apply", "--dry-run=server", "--validate=strict", "--warnings-as-errors", "-f", "-"];
    const taken = await plane.kubectl(args, blocks.join("---\n"));
    expect([taken.code, taken.stderr]).toEqual([0, ""]);
  });
});

/** What `kubectl auth can-i --list` has, one rule a line, single-spaced. */
async function rightsOf(user: string, namespace: string): Promise<string[]> {
  const text = await plane.kubectlOk(["auth", "can-i", "--list", `--as=${user}`, "--namespace", namespace]);
  return text.split("\n").map((line) => line.trim().replaceAll(/\s+/g, " "));
}

/** What the account may do beyond what every account may. */
async function ownRights(user: string, namespace: string): Promise<string[]> {
  const everyone = await rightsOf("system:serviceaccount:vedette-system:nobody", namespace);
  return (await rightsOf(user, namespace)).filter((line) => !everyone.includes(line)).toSorted();
}

describe("the agent's account", () => {
  const EVERYWHERE = [
    "dnsendpoints.externaldns.k8s.io [] [] [get list watch create patch delete]",
    "dnshealthcheckpolicies.vedette.dev [] [] [list watch]",
    "dnshealthcheckpolicies.vedette.dev/status [] [] [patch]",
    "dnshealthcheckprobes.vedette.dev [] [] [get list watch create patch delete]",
    "dnshealthcheckprobes.vedette.dev/status [] [] [patch]",
    "dnsrecords.vedette.dev [] [] [get list watch create patch delete update]",
    "dnsrecords.vedette.dev/status [] [] [patch]",
    "events [] [] [create patch]",
    "gateways.gateway.networking.k8s.io [] [] [list watch]",
    "namespaces [] [kube-system] [get]",
  ];

  test("may do this, and nothing else", async () => {
    expect(await ownRights(AGENT, "default")).toEqual(EVERYWHERE);
    const leases = "leases.coordination.k8s.io [] [] [get create update patch]";
    expect(await ownRights(AGENT, "vedette-system")).toEqual([...EVERYWHERE, leases].toSorted());
  });

  test("reads no Secret, but in a namespace that lets it", async () => {
    for (const namespace of ["open", "shut"]) await plane.kubectlOk(["create", "namespace", namespace]);
    const account = await plane.kubeconfigFor("vedette-system", "vedette-agent");
    const read = async (namespace: string) => {
      const only = ["--field-selector", "metadata.name=probe-headers"];
      return await plane.kubectl(["get", "secrets", ...only, "--namespace", namespace], "", account);
    };
    const refused = { code: 1, stderr: expect.stringContaining(`User "${AGENT}" cannot list resource "secrets"`) };
    for (const namespace of ["open", "shut", "vedette-system", "kube-system"]) {
      expect(await read(namespace)).toMatchObject(refused);
    }
    const role = "vedette-header-secrets";
    const [namespace, name] = ["vedette-system", "vedette-agent"];
    const binding = ["create", "rolebinding", role, `--clusterrole=${role}`, `--serviceaccount=${namespace}:${name}`];
    await plane.kubectlOk(["-n", "open", ...binding]);
    expect(await read("open")).toMatchObject({ code: 0 });
    expect(await ownRights(AGENT, "open")).toEqual([...EVERYWHERE, "secrets [] [] [list watch]"].toSorted());
    for (const namespace of ["shut", "vedette-system", "kube-system"]) {
      expect(await read(namespace)).toMatchObject(refused);
    }
  });
});

describe("the image", () => {
  test("has every package that the agent imports: none of them is for development only", () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const sources = ["agent", "shared"].flatMap((place) =>
      readdirSync(join(ROOT, place), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
        .map((file) => readFileSync(join(ROOT, place, file), "utf8")),
    );
    const imported = sources
      .flatMap((text) => [...text.matchAll(/^(?:import|export) (?!type )[^;]*?from "([^".][^"]*)";/gms)])
      .map(([, specifier = ""]) => specifier)
      .filter((specifier) => !specifier.startsWith("node:"))
      .map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0]);
    expect(new Set(imported).size).toBeGreaterThan(3);
    expect(Object.keys(dependencies)).toEqual(expect.arrayContaining([...new Set(imported)]));
  });
});
