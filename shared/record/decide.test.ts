import { describe, expect, it } from "vitest";
import type { Endpoint } from "../model/endpoint.ts";
import type { MinPublished } from "../model/record.ts";
import type { Verdict } from "../model/status.ts";
import { decide } from "./decide.ts";
import type { LeafHealth } from "./leaf-health.ts";

const [a, b, c] = ["203.0.113.1", "203.0.113.2", "203.0.113.3"];

function set(dnsName: string, recordType: Endpoint["recordType"], ...targets: string[]): Endpoint {
  return { dnsName, recordType, recordTTL: 60, targets };
}

function health(verdicts: Record<string, Verdict>): Map<string, LeafHealth> {
  return new Map(
    Object.entries(verdicts).map(([leaf, verdict]) => [
      leaf,
      { verdict, unhealthyRegions: verdict === "Unhealthy" ? 3 : 0, proven: verdict !== "Pending" },
    ]),
  );
}

function publish(
  endpoints: readonly Endpoint[],
  verdicts: Record<string, Verdict>,
  wasPublished: readonly Endpoint[] = endpoints,
  minPublished: MinPublished = 1,
) {
  return decide({ endpoints, minPublished, leaves: health(verdicts), wasPublished });
}

describe("seed rules", () => {
  const record = [set("api.example.com", "A", a, b, c)];

  it("an unhealthy IP leaves when other leaves remain", () => {
    const decision = publish(record, { [a]: "Healthy", [b]: "Unhealthy", [c]: "Healthy" });
    expect(decision.endpoints).toEqual([set("api.example.com", "A", a, c)]);
    expect(decision.leaves).toContainEqual({ leaf: b, published: false, reason: "UnhealthyWithheld" });
  });

  it("the only leaf stays", () => {
    const alone = [set("api.example.com", "A", a)];
    const decision = publish(alone, { [a]: "Unhealthy" });
    expect(decision.endpoints).toEqual(alone);
    expect(decision.leaves).toEqual([{ leaf: a, published: true, reason: "KeptLast" }]);
  });

  it("the same for a CNAME leaf", () => {
    const alone = [set("api.example.com", "CNAME", "lb.cloud.example")];
    expect(publish(alone, { "lb.cloud.example": "Unhealthy" }).endpoints).toEqual(alone);
  });

  it("an unhealthy leaf that was never published is not published", () => {
    const before = [set("api.example.com", "A", a)];
    const decision = publish(record.slice(), { [a]: "Unhealthy", [b]: "Unhealthy", [c]: "Pending" }, before);
    expect(decision.published).toEqual([a]);
  });

  it("a dead branch goes with its leaf", () => {
    const branches = [
      {
        ...set("api.example.com", "CNAME", "eu.api.example.com"),
        setIdentifier: "eu",
        providerSpecific: [{ name: "weight", value: "100" }],
      },
      {
        ...set("api.example.com", "CNAME", "us.api.example.com"),
        setIdentifier: "us",
        providerSpecific: [{ name: "weight", value: "100" }],
      },
      set("eu.api.example.com", "A", a),
      set("us.api.example.com", "A", b),
    ];
    const decision = publish(branches, { [a]: "Unhealthy", [b]: "Healthy" });
    expect(decision.endpoints.map(({ dnsName, targets }) => [dnsName, ...targets])).toEqual([
      ["api.example.com", "us.api.example.com"],
      ["us.api.example.com", b],
    ]);
  });

  it("a probe that stopped updating counts as healthy", () => {
    expect(publish(record, { [a]: "Unknown", [b]: "Healthy", [c]: "Healthy" }).published).toEqual([a, b, c]);
  });
});
