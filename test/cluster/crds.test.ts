import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { policySpec } from "../../shared/model/dns-health-check-policy.ts";
import { recordSpec } from "../../shared/model/record.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { policySpecInput, recordSpecInput } from "../support/spec-arbitrary.ts";
import { sharedCluster } from "./support/shared.ts";
import { type Answer, tryCreate } from "./support/try-create.ts";

const FIXTURES = join(import.meta.dirname, "..", "..", "shared", "model", "fixtures");
const GROUP = "vedette.dev";
const RUNS = propertyRuns(300);

const cluster = sharedCluster();
let namespace: string;

beforeAll(async () => {
  namespace = await cluster.freshNamespace();
});

const tryKind = (plural: string, object: unknown) =>
  tryCreate(cluster, `/apis/${GROUP}/v1alpha1/namespaces/${namespace}/${plural}`, object);
const record = (spec: unknown, name = "api") => ({
  apiVersion: `${GROUP}/v1alpha1`,
  kind: "DNSRecord",
  metadata: { name, namespace },
  spec,
});
const policy = (spec: unknown) => ({ ...record(spec), kind: "DNSHealthCheckPolicy" });
const endpoints = [{ dnsName: "api.example.com", recordType: "A", targets: ["203.0.113.10"] }];
const messageOf = ({ code, body }: Answer) => `${code} ${(body as { message?: string }).message ?? "taken"}`;

test("the definitions are structural and served", async () => {
  const list = JSON.parse(await cluster.kubectlOk(["get", "crd", "--output", "json"]));
  const ours = list.items.filter(({ spec }: { spec: { group: string } }) => spec.group === GROUP);
  const told = ours.map(({ metadata, status }: { metadata: { name: string }; status: { conditions: Condition[] } }) => [
    metadata.name,
    ...status.conditions.map((condition) => `${condition.type}=${condition.status}`).sort(),
  ]);
  const isServed = ["Established=True", "NamesAccepted=True"];
  expect(told).toEqual([
    ["dnshealthcheckpolicies.vedette.dev", ...isServed],
    ["dnshealthcheckprobes.vedette.dev", ...isServed],
    ["dnsrecords.vedette.dev", ...isServed],
  ]);
});
type Condition = { type: string; status: string };

/*
 * A `# server:` line of a fixture is what the API server's answer must contain. For rules in CEL that is the whole message.
 * A `# server accepts:` line says that it accepts what we refuse, and why.
 */
describe("what the API server itself says of bad manifests", () => {
  test.each(readdirSync(FIXTURES).filter((file) => file.startsWith("invalid-")))("%s", async (file) => {
    const text = readFileSync(join(FIXTURES, file), "utf8");
    const expected = [...text.matchAll(/^# server: (.*)$/gm)].map(([, message]) => message ?? "");
    const isTaken = /^# server accepts: ./m.test(text);
    expect(expected.length > 0).toBe(!isTaken);
    const manifest = parse(text);
    if (manifest?.metadata) manifest.metadata.namespace = namespace;
    const answer = await tryKind("dnsrecords", manifest);
    if (isTaken) expect(messageOf(answer)).toBe("201 taken");
    else expect(messageOf(answer)).toMatch(/^4\d\d /);
    for (const message of expected) expect(messageOf(answer)).toContain(message);
  });
});

describe("what our schemas take, the API server takes", () => {
  test("any record", async () => {
    await fc.assert(
      fc.asyncProperty(
        recordSpecInput.filter((spec) => recordSpec.safeParse(spec).success),
        async (spec) => {
          expect(messageOf(await tryKind("dnsrecords", record(spec)))).toBe("201 taken");
        },
      ),
      { numRuns: RUNS },
    );
  });

  test("any policy", async () => {
    await fc.assert(
      fc.asyncProperty(
        policySpecInput.filter((spec) => policySpec.safeParse(spec).success),
        async (spec) => {
          expect(messageOf(await tryKind("dnshealthcheckpolicies", policy(spec)))).toBe("201 taken");
        },
      ),
      { numRuns: RUNS },
    );
  });

  const long = [..."abc"].map((letter) => letter.repeat(63)).join(".");
  test.each([
    ["A", 50, (n: number) => `203.${100 + (n >> 14)}.${100 + ((n >> 7) & 127)}.${100 + (n & 127)}`],
    ["AAAA", 50, (n: number) => `2001:0db8:0000:0000:0000:0000:0000:${n.toString(16).padStart(4, "0")}`],
    ["CNAME", 1, (n: number) => `${long}.${"d".repeat(40)}.t${n}.example.net`],
  ])("the largest record there is, of type %s", async (recordType, count, target) => {
    const spec = {
      rootHost: "example.com",
      endpoints: Array.from({ length: 500 }, (_, at) => ({
        dnsName: `${long}.${"d".repeat(40)}.h${at}.example.com`,
        recordType,
        targets: Array.from({ length: count }, (_, index) => target(at * count + index)),
      })),
    };
    expect(recordSpec.safeParse(spec).success).toBe(true);
    expect(messageOf(await tryKind("dnsrecords", record(spec)))).toBe("201 taken");
  });
});

describe("a stored object", () => {
  const get = async (kind: string, name: string) =>
    JSON.parse(await cluster.kubectlOk(["get", kind, name, "-n", namespace, "-o", "json"]));
  const columns = async (kind: string, ...args: string[]) =>
    (await cluster.kubectlOk(["get", kind, "-n", namespace, ...args]))
      .split("\n")
      .map((line) => line.trim().split(/ {2,}/));
  const setStatus = (kind: string, name: string, status: object) =>
    cluster.kubectlOk([
      "patch",
      kind,
      name,
      "-n",
      namespace,
      "--subresource=status",
      "--type=merge",
      "-p",
      JSON.stringify({ status }),
    ]);
  const lastTransitionTime = "2026-11-30T05:00:00.000Z";
  const condition = (type: string, status: string, reason: string) => ({
    type,
    status,
    reason,
    message: "",
    lastTransitionTime,
  });

  test("has all defaults written out, those of an empty health check too", async () => {
    const spec = { rootHost: "api.example.com", endpoints, healthCheck: {} };
    await cluster.kubectlOk(["apply", "-f", "-"], JSON.stringify(record(spec, "defaults")));
    expect((await get("dnsrecord", "defaults")).spec).toEqual({
      rootHost: "api.example.com",
      endpoints: [{ ...endpoints[0], recordTTL: 60 }],
      minPublished: 1,
      whenSilent: "Publish",
      healthCheck: {
        protocol: "HTTPS",
        interval: "30s",
        failureThreshold: 5,
        successThreshold: 2,
        addressPolicy: "Any",
        allowHeadersInCleartext: false,
        allowInsecureCertificate: false,
        regions: ["weur", "enam", "apac"],
        quorum: "Majority",
      },
    });
  });

  test("is refused with an unknown field, which is dropped where the user insists", async () => {
    const manifest = JSON.stringify(record({ rootHost: "api.example.com", endpoints, healthcheck: {} }, "unknown"));
    const strict = await cluster.kubectl(["apply", "-f", "-"], manifest);
    expect(strict.stderr).toContain('unknown field "spec.healthcheck"');
    await cluster.kubectlOk(["apply", "--validate=ignore", "-f", "-"], manifest);
    expect(Object.keys((await get("dnsrecord", "unknown")).spec)).not.toContain("healthcheck");
  });

  test("a record: its status is another resource than its spec, and people see its columns", async () => {
    await cluster.kubectlOk(
      ["apply", "-f", "-"],
      JSON.stringify(record({ rootHost: "api.example.com", endpoints }, "columns")),
    );
    const refused = { rootHost: "api.example.com", endpoints, fieldOfANewerAgent: { kept: [1, "as it is"] } };
    await setStatus("dnsrecord", "columns", {
      observedGeneration: 1,
      conditions: [condition("Ready", "True", "Published"), condition("Healthy", "False", "PartiallyHealthy")],
      published: endpoints,
      decision: {
        endpoints,
        whenSilent: "Publish",
        shares: [{ cluster: "eu", record: "shop/api" }],
        leaves: [{ leaf: "203.0.113.10", published: true, reason: "KeptLast" }],
        decidedAt: lastTransitionTime,
      },
      summary: { published: "1/2", unhealthy: "198.51.100.20" },
      lastAccepted: { spec: refused },
    });
    const { metadata, status } = await get("dnsrecord", "columns");
    expect(metadata.generation).toBe(1);
    expect(status.lastAccepted.spec).toEqual(refused);
    const [head, row] = await columns("dnsr", "columns", "-o", "wide");
    expect(head).toEqual(["NAME", "HOST", "READY", "HEALTHY", "PUBLISHED", "AGE", "UNHEALTHY"]);
    expect(row?.slice(0, 5)).toEqual(["columns", "api.example.com", "True", "PartiallyHealthy", "1/2"]);
    expect(row?.at(-1)).toBe("198.51.100.20");
  });

  test("a probe", async () => {
    const spec = {
      record: "api",
      rootHost: "api.example.com",
      address: "203.0.113.10",
      protocol: "HTTPS",
      port: 443,
      interval: "30s",
      timeout: "5s",
      failureThreshold: 5,
      successThreshold: 2,
      regions: ["weur"],
      quorum: "Majority",
    };
    const probe = { ...record(spec, "api-203.0.113.10"), kind: "DNSHealthCheckProbe" };
    await cluster.kubectlOk(["apply", "-f", "-"], JSON.stringify(probe));
    const [, fresh] = await columns("dnsprobe");
    expect(fresh?.slice(0, 3)).toEqual(["api-203.0.113.10", "api", "203.0.113.10"]);
    await setStatus("dnsprobe", "api-203.0.113.10", {
      healthy: false,
      verdict: "Unhealthy",
      consecutiveFailures: 6,
      reason: "ConnectFailed",
      lastCheckedAt: lastTransitionTime,
      conditions: [condition("Healthy", "False", "Unhealthy")],
      regions: [
        { region: "weur", freshness: "Fresh", says: "Unhealthy", consecutiveFailures: 6, consecutiveSuccesses: 0 },
      ],
    });
    const [head, row] = await columns("dnsprobe");
    const names = ["NAME", "RECORD", "ADDRESS", "HEALTHY", "FAILURES", "REASON", "LAST CHECK", "AGE"];
    expect(head).toEqual(names);
    expect(row?.slice(1, 6)).toEqual(["api", "203.0.113.10", "false", "6", "ConnectFailed"]);
  });

  test("a policy, which Gateway API's tools know for one by its label", async () => {
    const name = "shop";
    const object = { ...policy({ targetRef: { name: "shop" } }), metadata: { name, namespace } };
    await cluster.kubectlOk(["apply", "-f", "-"], JSON.stringify(object));
    const ancestorRef = { group: "gateway.networking.k8s.io", kind: "Gateway", name };
    const conditions = [condition("Accepted", "False", "TargetNotFound")];
    await setStatus("dnspolicy", name, {
      ancestors: [{ ancestorRef, controllerName: "vedette.dev/agent", conditions }],
    });
    const [head, row] = await columns("gateway-api");
    expect(head).toEqual(["NAME", "TARGET", "ACCEPTED", "REASON", "AGE"]);
    expect(row?.slice(0, 4)).toEqual(["dnshealthcheckpolicy.vedette.dev/shop", "shop", "False", "TargetNotFound"]);
    const labelled = await cluster.kubectlOk([
      "get",
      "crd",
      "-l",
      "gateway.networking.k8s.io/policy=Direct",
      "-o",
      "name",
    ]);
    expect(labelled.trim()).toBe("customresourcedefinition.apiextensions.k8s.io/dnshealthcheckpolicies.vedette.dev");
  });
});
