import type { Condition, StatusCondition } from "../../shared/model/condition.ts";
import { formatDurationMs } from "../../shared/model/duration.ts";
import type { DeliveredProbe } from "../edge/delivered.ts";
import type { Basis } from "../plan/plan-host.ts";

const MAX_MESSAGE_CHARACTERS = 1_024;
const MAX_LEAVES_NAMED = 20;

/** A text for a status, cut where it is too long. */
export function bounded(text: string, maxCharacters = MAX_MESSAGE_CHARACTERS): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters - 1)}…`;
}

/** Gives conditions their times: a time changes only when the status does (Kubernetes API conventions). */
export function timed(
  conditions: readonly Condition[],
  before: readonly StatusCondition[],
  nowMs: number,
): StatusCondition[] {
  return conditions.map((condition) => {
    const old = before.find(({ type }) => type === condition.type);
    const isSame = old !== undefined && old.status === condition.status;
    const lastTransitionTime = isSame ? old.lastTransitionTime : new Date(nowMs).toISOString();
    return { ...condition, message: bounded(condition.message), lastTransitionTime };
  });
}

const healthy = (status: Condition["status"], reason: string, message = ""): Condition => ({
  type: "Healthy",
  status,
  reason,
  message,
});

/** Whether the record's own probes find its leaves in order. Names the leaves that are not. */
export function healthCondition(probes: readonly DeliveredProbe[]): Condition {
  if (probes.length === 0) return healthy("Unknown", "Pending", "The edge has not said anything of the probes yet.");
  const by = (verdict: string) => probes.filter((probe) => probe.verdict === verdict).map(({ leaf }) => leaf);
  const [unhealthy, pending, unknown] = [by("Unhealthy"), by("Pending"), by("Unknown")];
  const message = [named("Unhealthy", unhealthy), named("Pending", pending), named("Unknown", unknown)].join("").trim();
  if (unhealthy.length === probes.length) return healthy("False", "Unhealthy", message);
  if (unhealthy.length > 0) return healthy("False", "PartiallyHealthy", message);
  if (pending.length > 0) return healthy("Unknown", "Pending", message);
  if (unknown.length > 0)
    return healthy("Unknown", "Unknown", `${message} No region reports: published as if healthy.`);
  return healthy("True", "Healthy");
}

/** That nothing of the record is probed, and why. */
export function notProbed(message: string): Condition {
  return healthy("Unknown", "NotProbed", message);
}

const named = (verdict: string, leaves: readonly string[]) =>
  leaves.length === 0 ? "" : `${verdict}: ${listed(leaves)}. `;

/** `a, b and 7 more`, sorted. */
export function listed(leaves: readonly string[], max = MAX_LEAVES_NAMED): string {
  const more = leaves.length > max ? ` and ${leaves.length - max} more` : "";
  return `${leaves.toSorted().slice(0, max).join(", ")}${more}`;
}

/** Whether the edge is heard of, and what its silence does to this record. */
export function contactCondition(
  contact: "Heard" | "Awaited" | "Silent",
  staleAfterMs: number,
  basis?: Basis,
): Condition {
  const type = "EdgeReachable";
  const after = formatDurationMs(staleAfterMs);
  if (contact === "Heard") return { type, status: "True", reason: "Contact", message: "" };
  if (contact === "Awaited") {
    return {
      type,
      status: "Unknown",
      reason: "Awaited",
      message: `No delivery since the agent started; waiting ${after}.`,
    };
  }
  const effect = basis === "Frozen" ? "The last decision stays (whenSilent: Freeze)." : "All is published.";
  return { type, status: "False", reason: "NoContact", message: `No delivery for ${after}. ${effect}` };
}
