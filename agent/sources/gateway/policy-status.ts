import { type PolicyStatus, policyStatus } from "../../../shared/model/dns-health-check-policy.ts";
import { GATEWAY } from "../../kubernetes/kinds.ts";
import { effectiveTargets } from "./addresses.ts";
import { GATEWAY_GROUP, type Gateway } from "./gateway.ts";
import { type Attachment, type Policy, policiesOf, policyFor, type Target, type Verdict } from "./policy-attachment.ts";

type Ancestor = PolicyStatus["ancestors"][number];

export const CONTROLLER_NAME = "vedette.dev/agent";
/** The limit of Gateway API's PolicyStatus. */
const MAX_ANCESTORS = 16;
const MAX_MESSAGE_CHARACTERS = 1_000;
const MAX_NAMED = 3;

/**
 * The status of a policy: the condition `Accepted` in the entry of its target. Entries of other controllers are kept.
 * Undefined if the policy has no readable target.
 */
export function policyStatusOf(
  policy: Policy,
  verdict: Verdict,
  findings: readonly Diagnostic[],
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

function outcome(verdict: Verdict, findings: readonly Diagnostic[]): Verdict {
  if (verdict.reason !== "Accepted") return verdict;
  const invalid = findings.filter(({ kind }) => kind === "Invalid");
  if (invalid.length > 0) return { reason: "Invalid", message: messageOf(invalid) };
  return { reason: "Accepted", message: messageOf(findings) };
}

/** Joins the messages. A message about several hosts or listeners appears once and names some of them. */
function messageOf(findings: readonly Diagnostic[]): string {
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

/** A message about a policy that is in force. */
export interface Diagnostic {
  /** Key of the policy. */
  policy: string;
  /**
   * `Invalid`: the policy cannot be carried out. `Note`: it is carried out, but something is omitted or stays as it
   * was.
   */
  kind: "Invalid" | "Note";
  /** A sentence. */
  message: string;
  /** The host or listener that the message is about; undefined if it is about the whole Gateway. */
  about?: string;
}

/** The messages about a Gateway for each policy that is in force for it or its listeners. */
export function gatewayDiagnostics(gateway: Gateway, attachment: Attachment): Diagnostic[] {
  const hostless = gateway.listeners.flatMap(({ name, host }): Diagnostic[] => {
    const policy = policyFor(attachment, gateway, name)?.key;
    if (policy === undefined || host !== undefined) return [];
    return [{ policy, kind: "Note", message: "It has no host name: there is no record of it.", about: name }];
  });
  const messages = [
    ...addressMessages(gateway),
    ...gateway.unreadable.map(({ why }) => `${why}. Records that exist stay.`),
  ];
  const notes = policiesOf(attachment, gateway).flatMap(({ key }) =>
    messages.map((message): Diagnostic => ({ policy: key, kind: "Note", message })),
  );
  return [...hostless, ...notes];
}

function addressMessages({ addresses }: Gateway): string[] {
  const { unsupported, unreadable: unread } = addresses;
  const { ips, hosts } = effectiveTargets(addresses, []);
  const isMixed = ips.length > 0 && hosts.length > 0;
  const isEmpty = ips.length + hosts.length === 0;
  return [
    ...(isEmpty ? ["The Gateway has no address: records that exist keep their last ones."] : []),
    ...(isMixed ? [`Left out beside IP addresses, since a name cannot have both: ${hosts.join(", ")}.`] : []),
    ...(unsupported.length > 0 ? [`Left out, for DNS cannot hold them: ${unsupported.join(", ")}.`] : []),
    ...(unread.length > 0
      ? [`Addresses that cannot be read, so that none is taken away until they can: ${unread.join(", ")}.`]
      : []),
  ];
}
