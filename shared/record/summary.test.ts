import { describe, expect, it } from "vitest";
import type { LeafReason, ProbeStatus, RegionStatus, Verdict } from "../model/status.ts";
import { hideAddresses, type Summed, summaryOf } from "./summary.ts";

const A = "203.0.113.10";
const B = "203.0.113.20";
const PUBLISHED: ReadonlySet<LeafReason> = new Set<LeafReason>([
  "Healthy",
  "Unknown",
  "PendingPublished",
  "KeptForMinPublished",
  "KeptLast",
  "KeptForFamily",
  "NotProbed",
]);
const ACCEPTED = { type: "Accepted", status: "True", reason: "Accepted", message: "" } as const;

function record(reasons: LeafReason[], more: Partial<Summed> = {}): Summed {
  return {
    rootHost: "api.example.com",
    shares: [{ cluster: "east", record: "shop/api", conditions: [ACCEPTED] }],
    leaves: reasons.map((reason, index) => ({
      leaf: `203.0.113.${index + 1}0`,
      published: PUBLISHED.has(reason),
      reason,
    })),
    probes: [],
    advisories: [],
    decidedAt: 9,
    ...more,
  };
}

type Word = "Healthy" | "Unhealthy" | "Pending";
const region = (name: RegionStatus["region"], says: Word, freshness: RegionStatus["freshness"] = "Fresh") =>
  ({ region: name, freshness, counts: { failures: 0, successes: 0, says } }) satisfies RegionStatus;

function probe(leaf: string, verdict: Verdict, since: number, more: Partial<ProbeStatus> = {}): ProbeStatus {
  return {
    id: `east/shop/api/${leaf}`,
    cluster: "east",
    record: "shop/api",
    leaf,
    verdict,
    since,
    consecutiveFailures: 0,
    failureThreshold: 2,
    successThreshold: 2,
    quorum: 2,
    regions: [],
    advisories: [],
    ...more,
  };
}

const dissent = { type: "Dissent", message: "weur says Unhealthy" } as const;

describe("the state of a record", () => {
  it.each<[string, LeafReason[], Partial<Summed>]>([
    ["Healthy", ["Healthy", "Healthy"], {}],
    ["Healthy", ["Healthy", "NotProbed"], {}],
    ["NotProbed", ["NotProbed", "NotProbed"], {}],
    ["Unknown", ["Healthy", "Unknown"], {}],
    ["Pending", ["Unknown", "PendingPublished"], {}],
    ["Pending", ["Healthy", "PendingWithheld"], {}],
    ["Pending", [], {}],
    ["Warning", ["PendingPublished"], { probes: [probe(A, "Pending", 1, { advisories: [dissent] })] }],
    ["Warning", ["Healthy"], { advisories: [{ type: "RegionSuspect", message: "most of the probes in weur" }] }],
    ["Degraded", ["Healthy", "UnhealthyWithheld"], { probes: [probe(A, "Healthy", 1, { advisories: [dissent] })] }],
    ["Degraded", ["Healthy", "KeptForMinPublished"], {}],
    ["Degraded", ["Healthy", "KeptForFamily"], {}],
    ["Critical", ["KeptLast", "UnhealthyWithheld"], {}],
    ["Critical", ["KeptLast"], { advisories: [{ type: "KeptLast", message: "nothing better is left" }] }],
    ["Critical", ["UnhealthyWithheld", "PendingWithheld"], {}],
  ])("is %s with leaves that are %j %j", (state, reasons, more) => {
    expect(summaryOf(record(reasons, more)).state).toBe(state);
  });

  it.each([
    ["Warning", { type: "Accepted", status: "False" as const }],
    ["Warning", { type: "Conflict", status: "True" as const }],
    ["Healthy", { type: "NotProbeable", status: "True" as const }],
  ])("is %s where a share has the condition %j", (state, condition) => {
    const conditions = [ACCEPTED, { ...condition, reason: "Why", message: "" }];
    const shares = [{ cluster: "east", record: "shop/api", conditions }];
    expect(summaryOf(record(["Healthy"], { shares })).state).toBe(state);
  });
});

describe("a leaf", () => {
  it.each<[string, [Verdict, number][], object]>([
    ["has no verdict where nobody probes it", [], {}],
    ["is as its probe", [["Unknown", 4]], { verdict: "Unknown", since: 4 }],
    [
      "is healthy since the first is",
      [
        ["Healthy", 7],
        ["Healthy", 3],
        ["Unhealthy", 1],
      ],
      { verdict: "Healthy", since: 3 },
    ],
    [
      "is unhealthy since the last is",
      [
        ["Unhealthy", 7],
        ["Unhealthy", 3],
      ],
      { verdict: "Unhealthy", since: 7 },
    ],
  ])("%s", (_, verdicts, expected) => {
    const probes = verdicts.map(([verdict, since]) => probe(A, verdict, since));
    const [leaf] = summaryOf(record(["Healthy", "Healthy"], { probes })).leaves;
    expect(leaf).toEqual({ leaf: A, published: true, reason: "Healthy", ...expected });
  });
});

it("tells which regions hold what against a leaf, and nothing of one on the mend", () => {
  const failing = { reason: "ConnectTimeout", at: 1, phases: { totalMs: 1 } } as const;
  const mending = { reason: "Ok", at: 1, phases: { totalMs: 1 } } as const;
  const regions = [
    { ...region("weur", "Unhealthy"), observation: failing },
    { ...region("enam", "Unhealthy"), observation: mending },
    region("apac", "Healthy"),
  ];
  const [leaf] = summaryOf(record(["UnhealthyWithheld"], { probes: [probe(A, "Unhealthy", 1, { regions })] })).leaves;
  expect(leaf?.against).toEqual({ regions: ["enam", "weur"], of: 3, saw: ["connect timeout"] });
});

describe("a region", () => {
  it.each<[RegionStatus[], string, number]>([
    [[region("weur", "Healthy"), region("weur", "Healthy")], "Healthy", 0],
    [[region("weur", "Healthy"), region("weur", "Pending")], "Pending", 0],
    [[region("weur", "Pending"), region("weur", "Unhealthy", "Silent")], "Silent", 0],
    [[region("weur", "Healthy", "Silent"), region("weur", "Unhealthy", "Awaited")], "Unhealthy", 1],
    [[region("weur", "Unhealthy"), region("weur", "Unhealthy")], "Unhealthy", 2],
  ])("of %j says %s, %i unhealthy", (words, says, unhealthy) => {
    const probes = words.map((word, index) => probe(index === 0 ? A : B, "Healthy", 1, { regions: [word] }));
    expect(summaryOf(record(["Healthy"], { probes })).regions).toEqual([
      { region: "weur", says, unhealthy, probes: 2 },
    ]);
  });

  it("comes by its name, and each cluster once", () => {
    const probes = [probe(A, "Healthy", 1, { regions: [region("weur", "Healthy"), region("apac", "Healthy")] })];
    const shares = ["west", "east", "west"].map((cluster) => ({ cluster, record: "shop/api", conditions: [] }));
    const summary = summaryOf(record(["Healthy"], { probes, shares }));
    expect(summary.regions.map((one) => one.region)).toEqual(["apac", "weur"]);
    expect(summary.clusters).toEqual(["east", "west"]);
  });
});

it("tells no address where addresses are hidden, and all else", () => {
  const summary = summaryOf(record(["Healthy", "UnhealthyWithheld"], { probes: [probe(A, "Healthy", 1)] }));
  const hidden = hideAddresses(summary);
  expect(JSON.stringify(hidden)).not.toContain("203.0.113");
  expect(hidden.leaves.map(({ leaf }) => leaf)).toEqual(["address 1", "address 2"]);
  expect({ ...hidden, leaves: [] }).toEqual({ ...summary, leaves: [] });
});
