import { describe, expect, test } from "vitest";
import { DNS_ENDPOINT, DNS_HEALTH_CHECK_PROBE, DNS_RECORD } from "../kubernetes/kinds.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import type { WantedObject } from "./desired.ts";
import { isLeftover, nextStep } from "./diff.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests reach into what the API leaves open.
type Loose = KubeObject & { spec: any; status: any };

const LABELS = { "app.kubernetes.io/managed-by": "vedette-agent" };
const OWNER = { apiVersion: "vedette.dev/v1alpha1", kind: "DNSRecord", name: "shop", uid: "owner" };

const probe = (change: Partial<WantedObject> = {}): WantedObject => ({
  type: "Object",
  kind: DNS_HEALTH_CHECK_PROBE,
  object: {
    apiVersion: "vedette.dev/v1alpha1",
    kind: "DNSHealthCheckProbe",
    metadata: { name: "shop-1", namespace: "shop", labels: LABELS, ownerReferences: [OWNER] },
    spec: { address: "192.0.2.1", regions: ["weur", "enam"] },
  },
  status: {
    healthy: true,
    lastCheckedAt: "2026-01-01T00:00:00Z",
    regions: [{ region: "weur", says: "Healthy", lastCheckedAt: "2026-01-01T00:00:00Z" }],
  },
  ...change,
});

const managed = (subresource: "" | "status", fieldsV1: unknown) => ({
  manager: "vedette-agent",
  operation: "Apply",
  subresource,
  fieldsV1,
});

/** The probe as the API has it, changed. */
function actual(change: (object: Loose) => void = () => {}): KubeObject {
  const { object, status } = probe();
  const there = structuredClone({ ...object, status }) as Loose;
  there.metadata.uid = "u1";
  change(there);
  return there;
}

describe("an object of ours", () => {
  const cases: [string, KubeObject | undefined, object | undefined][] = [
    ["is created where there is none", undefined, { type: "Create" }],
    ["needs nothing as it is", actual(), undefined],
    [
      "keeps what others add",
      actual(({ metadata, spec, status }) => {
        metadata.labels = { ...metadata.labels, team: "x" };
        metadata.annotations = { note: "y" };
        spec.defaulted = 1;
        status.conditions = [{ type: "Theirs", status: "True" }];
      }),
      undefined,
    ],
    [
      "is put right where a label is gone",
      actual(({ metadata }) => {
        metadata.labels = {};
      }),
      { type: "Apply" },
    ],
    [
      "is put right where its spec says something else",
      actual(({ spec }) => {
        spec.address = "192.0.2.9";
      }),
      { type: "Apply" },
    ],
    [
      "is put right where a list is another",
      actual(({ spec }) => {
        spec.regions = ["enam", "weur"];
      }),
      { type: "Apply" },
    ],
    [
      "loses what we said before",
      actual((object) => {
        object.spec.gone = 1;
        object.metadata.managedFields = [managed("", { "f:spec": { "f:gone": {}, "f:address": {} } })];
      }),
      { type: "Apply" },
    ],
    [
      "has its status put right",
      actual(({ status }) => {
        status.healthy = false;
      }),
      { type: "ApplyStatus", timesOnly: false },
    ],
    [
      "has a region's word put right",
      actual(({ status }) => {
        status.regions[0].says = "Unhealthy";
      }),
      { type: "ApplyStatus", timesOnly: false },
    ],
    [
      "keeps regions that others add, in any order",
      actual(({ status }) => {
        status.regions.unshift({ region: "oc" });
      }),
      undefined,
    ],
    [
      "loses a region that we said before",
      actual((object) => {
        object.metadata.managedFields = [
          managed("status", { "f:status": { "f:regions": { 'k:{"region":"oc"}': { "f:says": {} } } } }),
        ];
      }),
      { type: "ApplyStatus", timesOnly: false },
    ],
    [
      "tells times apart",
      actual(({ status }) => {
        status.regions[0].lastCheckedAt = "2025-01-01T00:00:00Z";
      }),
      { type: "ApplyStatus", timesOnly: true },
    ],
    [
      "waits while it is deleted",
      actual((object) => {
        object.metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
        object.spec = {};
      }),
      undefined,
    ],
    [
      "is foreign without label and owner",
      actual(({ metadata }) => {
        metadata.labels = {};
        metadata.ownerReferences = [];
      }),
      { type: "Foreign" },
    ],
    [
      "is ours by its owner",
      actual(({ metadata }) => {
        metadata.labels = {};
      }),
      { type: "Apply" },
    ],
  ];

  test.each(cases)("%s", (_, there, step) => {
    const result = nextStep(probe(), there);
    if (step === undefined) expect(result).toBeUndefined();
    else expect(result).toMatchObject(step);
  });

  test("carries the uid of the object that it changes, and none where it is new", () => {
    const changed = nextStep(
      probe(),
      actual(({ spec }) => {
        spec.address = "x";
      }),
    );
    expect(changed).toMatchObject({ object: { metadata: { uid: "u1" } } });
    expect(nextStep(probe(), undefined)).not.toHaveProperty("object.metadata.uid");
  });

  test("is left alone where it is kept", () => {
    const kept = { type: "Kept", kind: DNS_ENDPOINT, ref: { name: "a", namespace: "b" } } as const;
    expect(nextStep(kept, undefined)).toBeUndefined();
    expect(nextStep(kept, actual())).toBeUndefined();
  });
});

describe("a status of somebody else's object", () => {
  const wanted = {
    type: "Status",
    kind: DNS_RECORD,
    ref: { name: "shop", namespace: "shop", uid: "u1" },
    status: { a: 1 },
  } as const;
  const there = (uid: string, status?: unknown): KubeObject => ({
    apiVersion: "vedette.dev/v1alpha1",
    kind: "DNSRecord",
    metadata: { name: "shop", namespace: "shop", uid },
    spec: { rootHost: "a.test" },
    ...(status !== undefined && { status }),
  });

  test("says nothing of metadata and spec", () => {
    expect(nextStep(wanted, there("u1"))).toEqual({
      type: "ApplyStatus",
      timesOnly: false,
      object: {
        apiVersion: "vedette.dev/v1alpha1",
        kind: "DNSRecord",
        metadata: { name: "shop", namespace: "shop", uid: "u1" },
        status: { a: 1 },
      },
    });
  });

  test("is not written to another object of the name, nor to none", () => {
    expect(nextStep(wanted, undefined)).toBeUndefined();
    expect(nextStep(wanted, there("u2"))).toBeUndefined();
    expect(nextStep(wanted, there("u1", { a: 1 }))).toBeUndefined();
  });
});

describe("a DNSEndpoint", () => {
  const endpoint = (endpoints: unknown): WantedObject => ({
    type: "Object",
    kind: DNS_ENDPOINT,
    object: {
      apiVersion: "externaldns.k8s.io/v1alpha1",
      kind: "DNSEndpoint",
      metadata: { name: "a", namespace: "b" },
      spec: { endpoints },
    },
  });

  test.each([[[]], [undefined], [[{ dnsName: "a.test", targets: [] }]], [[{ dnsName: "a.test" }]]])(
    "is never written empty: %j",
    (endpoints) => {
      expect(nextStep(endpoint(endpoints), undefined)).toMatchObject({ type: "Refused" });
    },
  );
});

test("what nobody wants is a leftover by its labels alone, and once", () => {
  const scopes = [{ kind: DNS_HEALTH_CHECK_PROBE, labels: { ...LABELS, team: "x" } }];
  const labelled = (labels: Record<string, string>, deletionTimestamp?: string) =>
    actual(({ metadata }) => {
      metadata.labels = labels;
      if (deletionTimestamp) metadata.deletionTimestamp = deletionTimestamp;
    });
  expect(isLeftover(labelled({ ...LABELS, team: "x" }), scopes)).toBe(true);
  expect(isLeftover(labelled({ ...LABELS, team: "x" }, "2026-01-01T00:00:00Z"), scopes)).toBe(false);
  expect(isLeftover(labelled(LABELS), scopes)).toBe(false);
  expect(isLeftover(labelled({ team: "x" }), scopes)).toBe(false);
  expect(isLeftover(labelled({ ...LABELS, team: "x" }), [])).toBe(false);
});
