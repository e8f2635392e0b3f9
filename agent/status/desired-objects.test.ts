import { describe, expect, it } from "vitest";
import { CANARY, startController } from "../../test/support/agent/core.ts";
import { delivered, delivery } from "../../test/support/agent/delivered.ts";
import { dnsRecord, NOW, recordsOf } from "../../test/support/agent/kube-objects.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import { endpointObjects } from "../publish/external-dns/endpoint-object.ts";
import { kubernetesRecords } from "../sources/api-records.ts";
import { type DesiredObjectsInput, desiredObjects } from "./desired-objects.ts";
import { leaseObject } from "./lease-object.ts";

const EMPTY: Omit<DesiredObjectsInput, "state" | "records" | "refused"> = {
  recordAt: () => undefined,
  probeAt: () => undefined,
  extraOf: () => [],
  refreshTimes: false,
  nowMs: NOW,
};

const headerSecret = (data: Record<string, string>): KubeObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "probe", namespace: "shop" },
  data,
});

async function shown(objects: KubeObject[], secret?: KubeObject) {
  const { core } = startController();
  const read = kubernetesRecords({
    records: objects,
    isMember: () => true,
    secretAt: () => secret,
    secretError: () => undefined,
    before: [],
  });
  await core.takeSource({ complete: true, ...read });
  await core.takeDelivery(
    delivery({ epoch: 1, n: 1 }, [delivered("x.test", ["192.0.2.1"], { unhealthy: ["192.0.2.2"] })]),
  );
  return { state: core.state, ...desiredObjects({ ...EMPTY, state: core.state, ...read }), read };
}

describe("what is shown", () => {
  it("is the status of each record and the probes of its leaves, and says which probes are ours to delete", async () => {
    const { wanted, scopes } = await shown([dnsRecord({ name: "x" })]);
    expect(wanted.map((one) => [one.type, one.kind.kind])).toEqual([
      ["Status", "DNSRecord"],
      ["Object", "DNSHealthCheckProbe"],
      ["Object", "DNSHealthCheckProbe"],
    ]);
    expect(scopes).toMatchObject([
      { kind: { kind: "DNSHealthCheckProbe" }, labels: { "app.kubernetes.io/managed-by": "vedette-agent" } },
    ]);
  });

  it("of a record that was never accepted is why", async () => {
    const { wanted } = await shown([dnsRecord({ name: "x", spec: { minPublished: 0 } })]);
    expect(wanted).toMatchObject([
      {
        type: "Status",
        ref: { namespace: "shop", name: "x", uid: "uid-x" },
        status: {
          conditions: [
            {
              type: "Accepted",
              status: "False",
              reason: "Invalid",
              message: expect.stringMatching(/^spec\.minPublished/),
            },
            { type: "Ready", status: "False", reason: "NotAccepted" },
          ],
        },
      },
    ]);
  });

  it("is named once each", async () => {
    const { wanted } = await shown(["a", "b", "c"].map((name) => dnsRecord({ name, host: "x.test" })));
    const names = wanted.map((one) => {
      const { namespace, name } = one.type === "Object" ? one.object.metadata : one.ref;
      return `${one.kind.kind} ${namespace}/${name}`;
    });
    expect(new Set(names).size).toBe(9);
  });

  it.each([
    ["good", { "X-Key": Buffer.from(CANARY).toString("base64") }],
    ["wrong", { "X-Key": Buffer.from(`${CANARY}\u0000`).toString("base64") }],
    ["malformed", { "X-Key": `${CANARY}%` }],
  ])("holds nothing of a header Secret that is %s", async (_, data) => {
    const healthCheck = { protocol: "HTTPS", additionalHeadersRef: { name: "probe" } };
    const { wanted, state, read } = await shown([dnsRecord({ name: "x", spec: { healthCheck } })], headerSecret(data));
    const lease = leaseObject({ state, namespace: "system", heardAt: NOW, before: undefined });
    const all = JSON.stringify([
      wanted,
      lease,
      endpointObjects(read.records, state.hosts, () => undefined),
      read.problems,
    ]);
    expect(all).toContain("additionalHeadersRef");
    expect(all).not.toContain(CANARY);
    expect(all).not.toContain(Buffer.from(CANARY).toString("base64").slice(0, 12));
  });

  it("of a host whose refused record stands with another form is of that form", async () => {
    const before = recordsOf([dnsRecord({ name: "x", targets: ["192.0.2.1"] })]).records;
    const objects = [dnsRecord({ name: "x", spec: { minPublished: 0 } })];
    const { records } = kubernetesRecords({
      records: objects,
      isMember: () => true,
      secretAt: () => undefined,
      secretError: () => undefined,
      before,
    });
    const { core } = startController();
    await core.takeSource({ complete: true, records, problems: [] });
    const { wanted } = desiredObjects({ ...EMPTY, state: core.state, records, refused: [] });
    expect(wanted.flatMap((one) => (one.type === "Object" ? [one.object.metadata.name] : []))).toEqual(["x-192.0.2.1"]);
  });
});
