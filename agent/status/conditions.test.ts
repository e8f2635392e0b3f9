import { describe, expect, it } from "vitest";
import { delivered } from "../../test/support/agent/delivered.ts";
import { contactCondition, healthCondition, withTransitionTimes } from "./conditions.ts";

const probes = (verdicts: Record<string, string>) =>
  Object.entries(verdicts).map(([leaf, verdict]) => ({ ...delivered("x.test", [leaf]).probes[0]!, verdict }));

describe("Healthy", () => {
  it.each([
    [{ a: "Healthy", b: "Healthy" }, "True", "Healthy", ""],
    [{ b: "Unhealthy", a: "Healthy" }, "False", "PartiallyHealthy", "Unhealthy: b."],
    [{ b: "Unhealthy", a: "Unhealthy" }, "False", "Unhealthy", "Unhealthy: a, b."],
    [{ b: "Unhealthy", a: "Pending" }, "False", "PartiallyHealthy", "Unhealthy: b. Pending: a."],
    [{ b: "Healthy", a: "Pending" }, "Unknown", "Pending", "Pending: a."],
    [{ b: "Healthy", a: "Unknown" }, "Unknown", "Unknown", "Unknown: a. No region reports: published as if healthy."],
    [{}, "Unknown", "Pending", "The edge has not said anything of the probes yet."],
  ])("of %j is %s, %s", (verdicts, status, reason, message) => {
    expect(healthCondition(probes(verdicts))).toEqual({ type: "Healthy", status, reason, message });
  });
});

describe("EdgeReachable", () => {
  it.each([
    ["Heard", undefined, "True", "Contact", ""],
    ["Awaited", undefined, "Unknown", "Awaited", "No delivery since the agent started; waiting 5m."],
    ["Silent", "Fallback", "False", "NoContact", "No delivery for 5m. All is published."],
    ["Silent", "Frozen", "False", "NoContact", "No delivery for 5m. The last decision stays (whenSilent: Freeze)."],
  ] as const)("%s, %s is %s, %s", (contact, basis, status, reason, message) => {
    expect(contactCondition(contact, 300_000, basis)).toEqual({ type: "EdgeReachable", status, reason, message });
  });
});

describe("lastTransitionTime", () => {
  const condition = { type: "Healthy", status: "False", reason: "PartiallyHealthy", message: "Unhealthy: a." } as const;
  const [first] = withTransitionTimes([condition], [], 1_000);

  it("is in UTC, wherever the agent runs", () => {
    expect(first?.lastTransitionTime).toBe("1970-01-01T00:00:01.000Z");
  });

  it("stays while the status does, whatever else is said", () => {
    const [next] = withTransitionTimes(
      [{ ...condition, reason: "Unhealthy", message: "Unhealthy: a, b." }],
      [first!],
      2_000,
    );
    expect(next).toEqual({
      ...condition,
      reason: "Unhealthy",
      message: "Unhealthy: a, b.",
      lastTransitionTime: first?.lastTransitionTime,
    });
  });

  it("moves with the status", () => {
    const [next] = withTransitionTimes([{ ...condition, status: "True" }], [first!], 2_000);
    expect(next?.lastTransitionTime).toBe("1970-01-01T00:00:02.000Z");
  });
});
