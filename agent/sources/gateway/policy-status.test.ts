import { describe, expect, it } from "vitest";
import { policy } from "../../../test/support/gateways.ts";
import { readPolicy, type Verdict } from "./policy-attachment.ts";
import { type Diagnostic, policyStatusOf } from "./policy-status.ts";

const ACCEPTED: Verdict = { reason: "Accepted", message: "" };
const [T0, T1] = [Date.parse("2026-01-01T00:00:00Z"), Date.parse("2026-01-02T00:00:00Z")];
const note = (message: string, about?: string): Diagnostic => ({
  policy: "shop/p",
  kind: "Note",
  message,
  ...(about !== undefined && { about }),
});

/** The status after another, each at its time. */
function statusAfter(steps: [target: string, verdict: Verdict, nowMs: number][], foreign: object[] = []) {
  let status: object = { ancestors: foreign };
  for (const [target, verdict, nowMs] of steps) {
    const object = { ...policy("p", target, { metadata: { generation: 3 } }), status };
    status = policyStatusOf(readPolicy(object), verdict, [], nowMs) ?? status;
  }
  return status;
}

const accepted = (findings: Diagnostic[], verdict = ACCEPTED) =>
  policyStatusOf(readPolicy(policy("p", "web")), verdict, findings, T0)?.ancestors[0]?.conditions[0];

describe("the status of a policy", () => {
  it("names its target, who says so, and of which generation", () => {
    expect(statusAfter([["web/https", ACCEPTED, T0]])).toEqual({
      ancestors: [
        {
          ancestorRef: {
            group: "gateway.networking.k8s.io",
            kind: "Gateway",
            namespace: "shop",
            name: "web",
            sectionName: "https",
          },
          controllerName: "vedette.dev/agent",
          conditions: [
            {
              type: "Accepted",
              status: "True",
              reason: "Accepted",
              message: "",
              lastTransitionTime: "2026-01-01T00:00:00.000Z",
              observedGeneration: 3,
            },
          ],
        },
      ],
    });
  });

  it("changes its time with the status alone, and starts anew with another target", () => {
    const timeOf = (...steps: Parameters<typeof statusAfter>[0]) =>
      JSON.stringify(statusAfter(steps)).match(/lastTransitionTime":"([^T]*)/)?.[1];
    const conflicted: Verdict = { reason: "Conflicted", message: "with q" };
    expect(timeOf(["web", conflicted, T0], ["web", { reason: "TargetNotFound", message: "" }, T1])).toBe("2026-01-01");
    expect(timeOf(["web", conflicted, T0], ["web", ACCEPTED, T1])).toBe("2026-01-02");
    expect(timeOf(["web", ACCEPTED, T0], ["web/https", ACCEPTED, T1])).toBe("2026-01-02");
  });

  it("leaves what other controllers say, and does not go beyond sixteen entries", () => {
    const foreign = (name: string) => ({ ancestorRef: { name }, controllerName: "x.test/other", conditions: [] });
    const one = statusAfter(
      [
        ["web", ACCEPTED, T0],
        ["web", ACCEPTED, T1],
      ],
      [foreign("a")],
    );
    expect(one).toMatchObject({ ancestors: [foreign("a"), { controllerName: "vedette.dev/agent" }] });
    const full = Array.from({ length: 16 }, (_, index) => foreign(`${index}`));
    expect(statusAfter([["web", ACCEPTED, T0]], full)).toEqual({ ancestors: full });
  });

  it("is made of nothing where the policy does not say what it is for", () => {
    const nothing = readPolicy({ ...policy("p", "web"), spec: {} });
    expect(policyStatusOf(nothing, ACCEPTED, [], T0)).toBeUndefined();
  });

  it("says what is said of many once, with three of them", () => {
    const findings = [...["d", "b", "a", "c", "a"].map((host) => note("Stays.", `${host}.test`)), note("Left out: x.")];
    expect(accepted(findings)?.message).toBe("Left out: x. a.test, b.test, c.test and 1 more: Stays.");
    expect(accepted(findings.toReversed())?.message).toBe(accepted(findings)?.message);
  });

  it("is Invalid where one host's record cannot be, and says only why", () => {
    const invalid: Diagnostic = { ...note("port is wrong", "a.test"), kind: "Invalid" };
    expect(accepted([note("Stays."), invalid])).toMatchObject({
      status: "False",
      reason: "Invalid",
      message: "a.test: port is wrong",
    });
  });

  it("says of a policy that is not in force why, whatever else there is to say", () => {
    expect(accepted([note("Stays.")], { reason: "Conflicted", message: "with q" })).toMatchObject({
      status: "False",
      message: "with q",
    });
  });

  it("is cut where there is too much to say", () => {
    const findings = Array.from({ length: 64 }, (_, index) => note(`${index} ${"x".repeat(100)}.`));
    expect(accepted(findings)?.message).toHaveLength(1_000);
  });
});
