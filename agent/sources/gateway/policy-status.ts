import { type PolicyStatus, policyStatus } from "../../../shared/model/dns-health-check-policy.ts";
import { GATEWAY } from "../../kubernetes/kinds.ts";
import type { Finding } from "./finding.ts";
import { GATEWAY_GROUP } from "./gateway.ts";
import type { Policy, Target } from "./policy.ts";
import type { Verdict } from "./policy-attachment.ts";

type Ancestor = PolicyStatus["ancestors"][number];

export const CONTROLLER_NAME = "vedette.dev/agent";
/** As many as Gateway API's PolicyStatus holds. */
const MAX_ANCESTORS = 16;
const MAX_MESSAGE_CHARACTERS = 1_000;
const MAX_NAMED = 3;

/**
 * The status of a policy: its condition `Accepted` in the entry of its target. Entries of other controllers stay as they are.
 * Undefined where there is nothing that an entry could be about.
 */
export function policyStatusOf(
  policy: Policy,
  verdict: Verdict,
  findings: readonly Finding[],
  nowMs: number,
): PolicyStatus | undefined {
  if (policy.target === undefined) return undefined;
  const before = policyStatus.safeParse(policy.object.status).data?.ancestors ?? [];
  const foreign = before.filter(({ controllerName }) => controllerName !== CONTROLLER_NAME);
  const ours = before.filter(({ controllerName }) => controllerName === CONTROLLER_NAME);
  const ancestorRef = ancestorRefOf(policy.namespace, policy.target);
  const { reason, message } = outcome(verdict, findings);
  const status = reason === "Accepted" ? "True" : "False";
  const old = ours
    .find((ancestor) => isSameTarget(ancestor, ancestorRef))
    ?.conditions.find(({ type }) => type === "Accepted");
  const { generation } = policy.object.metadata;
  const accepted = {
    type: "Accepted",
    status,
    reason,
    message,
    lastTransitionTime: old?.status === status ? old.lastTransitionTime : new Date(nowMs).toISOString(),
    ...(generation !== undefined && { observedGeneration: generation }),
  } as const;
  const entry: Ancestor = { ancestorRef, controllerName: CONTROLLER_NAME, conditions: [accepted] };
  return { ancestors: [...foreign, entry].slice(0, MAX_ANCESTORS) };
}

function outcome(verdict: Verdict, findings: readonly Finding[]): Verdict {
  if (verdict.reason !== "Accepted") return verdict;
  const invalid = findings.filter(({ kind }) => kind === "Invalid");
  if (invalid.length > 0) return { reason: "Invalid", message: messageOf(invalid) };
  return { reason: "Accepted", message: messageOf(findings) };
}

/** What is said of many is said once, with some of them named. */
function messageOf(findings: readonly Finding[]): string {
  const lines = Map.groupBy(findings, ({ message }) => message)
    .entries()
    .map(([message, same]) => {
      const about = [...new Set(same.flatMap((finding) => finding.about ?? []))].sort();
      return about.length === 0 ? message : `${named(about)}: ${message}`;
    });
  const text = [...lines].sort().join(" ");
  return text.length <= MAX_MESSAGE_CHARACTERS ? text : `${text.slice(0, MAX_MESSAGE_CHARACTERS - 1)}…`;
}

function named(about: readonly string[]): string {
  const more = about.length - MAX_NAMED;
  return more > 0 ? `${about.slice(0, MAX_NAMED).join(", ")} and ${more} more` : about.join(", ");
}

const ancestorRefOf = (namespace: string, { name, sectionName }: Target) => ({
  group: GATEWAY_GROUP,
  kind: GATEWAY.kind,
  namespace,
  name,
  ...(sectionName !== undefined && { sectionName }),
});

function isSameTarget({ ancestorRef }: Ancestor, wanted: ReturnType<typeof ancestorRefOf>): boolean {
  const { namespace, name, sectionName } = ancestorRef;
  return namespace === wanted.namespace && name === wanted.name && sectionName === wanted.sectionName;
}
