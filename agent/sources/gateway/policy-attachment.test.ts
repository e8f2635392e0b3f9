import { describe, expect, it } from "vitest";
import { gateway, policy } from "../../../test/support/gateways.ts";
import type { KubeObject } from "../../kubernetes/object.ts";
import { readGateway } from "./gateway.ts";
import { attachPolicies, policyFor, readPolicy } from "./policy-attachment.ts";

const web = gateway("web", {
  listeners: [
    ["one", "one.test"],
    ["two", "two.test"],
  ],
});
const at = (creationTimestamp: string) => ({ metadata: { creationTimestamp } });
const [MORNING, EVENING] = [at("2026-01-01T08:00:00Z"), at("2026-01-01T20:00:00Z")];

/** The effective policy of each listener of web, and the condition of each policy. */
function attached(policies: KubeObject[], gateways: KubeObject[] | undefined = [web]) {
  const attachment = attachPolicies(gateways?.map(readGateway), policies.map(readPolicy));
  const first = readGateway(gateways?.[0] ?? web);
  return {
    inForce: first.listeners.map(({ name }) => policyFor(attachment, first, name)?.name),
    reasons: policies.map(({ metadata }) => attachment.verdicts.get(`shop/${metadata.name}`)?.reason),
    messages: policies.map(({ metadata }) => attachment.verdicts.get(`shop/${metadata.name}`)?.message),
  };
}

describe("a policy", () => {
  it.each<[string, KubeObject[], (string | undefined)[], string[]]>([
    ["for a Gateway is for all its listeners", [policy("a", "web")], ["a", "a"], ["Accepted"]],
    ["for a listener is for that one", [policy("a", "web/two")], [undefined, "a"], ["Accepted"]],
    [
      "for a listener wins, however young it is",
      [policy("a", "web", MORNING), policy("b", "web/two", EVENING)],
      ["a", "b"],
      ["Accepted", "Accepted"],
    ],
    [
      "that is older wins",
      [policy("a", "web", EVENING), policy("b", "web", MORNING)],
      ["b", "b"],
      ["Conflicted", "Accepted"],
    ],
    [
      "of two that are as old wins by its name",
      [policy("b", "web"), policy("a", "web")],
      ["a", "a"],
      ["Conflicted", "Accepted"],
    ],
    [
      "without a time of creation is younger",
      [policy("a", "web", at("")), policy("b", "web")],
      ["b", "b"],
      ["Conflicted", "Accepted"],
    ],
    [
      "conflicts at a listener only with one for it",
      [policy("a", "web/one"), policy("b", "web/one", EVENING), policy("c", "web")],
      ["a", "c"],
      ["Accepted", "Conflicted", "Accepted"],
    ],
    ["for no Gateway finds no target", [policy("a", "wob")], [undefined, undefined], ["TargetNotFound"]],
    ["for no listener finds no target", [policy("a", "web/three")], [undefined, undefined], ["TargetNotFound"]],
    [
      "of another namespace does not reach over",
      [policy("a", "web", { metadata: { namespace: "other" } })],
      [undefined, undefined],
      [undefined as never],
    ],
    [
      "that is wrong holds its target all the same",
      [policy("a", "web", { recordTTL: 0, ...MORNING }), policy("b", "web", EVENING)],
      ["a", "a"],
      ["Invalid", "Conflicted"],
    ],
    [
      "that is being deleted holds nothing",
      [policy("a", "web", { metadata: { deletionTimestamp: "2026-01-02T00:00:00Z" } }), policy("b", "web", EVENING)],
      ["b", "b"],
      [undefined as never, "Accepted"],
    ],
  ])("%s", (_, policies, inForce, reasons) => {
    expect(attached(policies)).toMatchObject({ inForce, reasons });
    expect(attached(policies.toReversed())).toMatchObject({ inForce, reasons: reasons.toReversed() });
  });

  it("is told with whom it conflicts, what is missing, or what is wrong", () => {
    const { messages } = attached([
      policy("a", "web"),
      policy("b", "web"),
      policy("c", "wob"),
      policy("d", "web/three"),
      policy("e", "web/one", { minPublished: "0%" }),
    ]);
    expect(messages).toEqual([
      "",
      "The policy a is older and has the same target: delete one of them, or target another listener.",
      "There is no Gateway wob in the namespace shop.",
      "The Gateway web has no listener three.",
      'spec.minPublished: "0%" must be a number from 1, or a percentage such as "50%"',
    ]);
  });

  it("finds no target while the cluster does not know Gateways, or in one that is being deleted", () => {
    const going = { ...web, metadata: { ...web.metadata, deletionTimestamp: "2026-01-02T00:00:00Z" } };
    expect(attached([policy("a", "web")], [going])).toMatchObject({
      inForce: [undefined, undefined],
      reasons: ["TargetNotFound"],
    });
    const unknown = attachPolicies(undefined, [readPolicy(policy("a", "web"))]);
    expect(unknown.verdicts.get("shop/a")).toMatchObject({ reason: "TargetNotFound" });
    expect(unknown.policyByTarget.size).toBe(0);
  });

  it("finds a listener that cannot be read: it is not gone", () => {
    const broken = gateway("web", { listeners: [{ name: "one", hostname: "-", port: 443, protocol: "HTTPS" }] });
    expect(attached([policy("a", "web/one"), policy("b", "web/two")], [broken]).reasons).toEqual([
      "Accepted",
      "TargetNotFound",
    ]);
    const nameless = gateway("web", { listeners: [{ hostname: "one.test" }] });
    expect(attached([policy("a", "web/one")], [nameless]).reasons).toEqual(["Accepted"]);
  });
});
