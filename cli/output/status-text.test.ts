import { describe, expect, it } from "vitest";
import { clockIn } from "../../shared/explain/clock.ts";
import type { Overview, RecordSummary } from "../../shared/model/overview.ts";
import { isAllWell, statusText } from "./status-text.ts";

const NOW = Date.UTC(2026, 4, 1, 12, 4, 31);
const plain = (_: unknown, text: string) => text;
const show = (seen: Overview, rows?: number) => statusText(seen, clockIn(NOW, "UTC"), plain, rows);

const healthy = (rootHost: string): RecordSummary => ({
  rootHost,
  state: "Healthy",
  clusters: ["east"],
  leaves: [{ leaf: "203.0.113.10", published: true, reason: "Healthy", verdict: "Healthy", since: NOW }],
  regions: [{ region: "weur", says: "Healthy", unhealthy: 0, probes: 1 }],
  decidedAt: NOW,
});
const degraded: RecordSummary = {
  rootHost: "z.example.com",
  state: "Degraded",
  clusters: ["east"],
  leaves: [
    { leaf: "203.0.113.10", published: true, reason: "Healthy", verdict: "Healthy", since: NOW },
    {
      leaf: "198.51.100.20",
      published: false,
      reason: "UnhealthyWithheld",
      verdict: "Unhealthy",
      since: NOW,
      against: { regions: ["enam", "weur"], of: 3, saw: ["connect timeout"] },
    },
  ],
  regions: [
    { region: "apac", says: "Silent", unhealthy: 0, probes: 2 },
    { region: "enam", says: "Unhealthy", unhealthy: 1, probes: 2 },
    { region: "weur", says: "Unhealthy", unhealthy: 1, probes: 2 },
  ],
  decidedAt: NOW,
};
const overviewOf = (records: RecordSummary[], more: Partial<Overview> = {}): Overview => ({
  at: NOW,
  partitions: 1,
  role: "viewer",
  addressesHidden: false,
  records,
  regions: [],
  clusters: [],
  ...more,
});
const region = { region: "weur" as const, shards: 2, silentShards: 0, probes: 3, colos: ["AMS"], suspect: false };
const cluster = { cluster: "east", records: 1, reachable: true, failures: 0, backlog: false, conditions: [] };

describe("the status", () => {
  it("has trouble first, with what is wrong under it", () => {
    expect(show(overviewOf([healthy("a.example.com"), degraded]))).toBe(
      [
        "2 records: 1 Degraded, 1 Healthy · 0 regions",
        "",
        "RECORD         STATE     IN DNS  REGIONS                                       DECIDED",
        "z.example.com  Degraded  1/2     0 of 3 ok; apac Silent; enam, weur Unhealthy  12:04:31",
        "  198.51.100.20 withheld: Unhealthy since 12:04:31; 2 of 3 regions (enam, weur): connect timeout",
        "a.example.com  Healthy   1/1     1 of 1 ok                                     12:04:31",
      ].join("\n"),
    );
  });

  it("says why an address is published in spite of its verdict", () => {
    const kept = degraded.leaves.map((leaf) => ({ ...leaf, published: true, reason: "KeptLast" as const }));
    const text = show(overviewOf([{ ...degraded, state: "Critical", leaves: kept }]));
    expect(text).toContain("  198.51.100.20 published: KeptLast; Unhealthy since 12:04:31; 2 of 3 regions");
  });

  it("says once what is the same of several addresses", () => {
    const [fine, bad] = degraded.leaves;
    const many = Array.from({ length: 6 }, (_, n) => ({ ...bad!, leaf: `198.51.100.${n}`, since: NOW + n * 1_000 }));
    const other = {
      ...bad!,
      leaf: "198.51.100.9",
      against: { regions: ["enam" as const], of: 3, saw: ["no address"] },
    };
    const lines = show(overviewOf([{ ...degraded, leaves: [fine!, ...many, other] }])).split("\n");
    expect(lines.slice(-2)).toEqual([
      "  198.51.100.0, 198.51.100.1, 198.51.100.2, 198.51.100.3 and 2 more withheld: Unhealthy since 12:04:31; 2 of 3 regions (enam, weur): connect timeout",
      "  198.51.100.9 withheld: Unhealthy since 12:04:31; 1 of 3 regions (enam): no address",
    ]);
  });

  it("names regions and clusters that are not well", () => {
    const text = show(
      overviewOf([], {
        regions: [
          { ...region, silentShards: 1, lastReportAt: NOW },
          { ...region, region: "oc", suspect: true },
        ],
        clusters: [{ ...cluster, reachable: false, failures: 3, lastFailure: "ECONNREFUSED" }],
      }),
    );
    expect(text).toContain("Region weur: 1 of 2 shards silent, last report 12:04:31");
    expect(text).toContain("Region oc: suspect");
    expect(text).toContain("Cluster east: not reached, 3 deliveries failed: ECONNREFUSED");
  });

  it("fits the terminal, and counts what does not", () => {
    const many = Array.from({ length: 50 }, (_, n) => healthy(`h${n}.example.com`));
    const lines = show(overviewOf([...many, degraded]), 10).split("\n");
    expect(lines).toHaveLength(10);
    expect(lines[3]).toContain("z.example.com");
    expect(lines.at(-1)).toBe("… 46 lines more; vedette status shows all");
  });

  it.each<[string, Overview, boolean]>([
    ["every record is Healthy", overviewOf([healthy("a.test")], { regions: [region], clusters: [cluster] }), true],
    ["there is nothing", overviewOf([]), true],
    ["a record is not probed", overviewOf([{ ...healthy("a.test"), state: "NotProbed" }]), true],
    ["a record is Degraded", overviewOf([degraded]), false],
    ["a record is Pending", overviewOf([{ ...healthy("a.test"), state: "Pending" }]), false],
    ["a region is silent", overviewOf([], { regions: [{ ...region, silentShards: 1 }] }), false],
    ["a region is suspect", overviewOf([], { regions: [{ ...region, suspect: true }] }), false],
    ["a cluster is not reached", overviewOf([], { clusters: [{ ...cluster, reachable: false }] }), false],
  ])("where %s: is it all well?", (_, seen, expected) => {
    expect(isAllWell(seen)).toBe(expected);
  });
});
