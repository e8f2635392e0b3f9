import { z } from "zod";
import { type Condition, type StatusCondition, statusCondition } from "../../shared/model/condition.ts";
import { formatDurationMs } from "../../shared/model/duration.ts";
import type { Endpoint } from "../../shared/model/endpoint.ts";
import type { DeliveredProbe } from "../edge/delivered.ts";
import type { Basis } from "../plan/plan-host.ts";

import type { OwnRecordStatus } from "./state.ts";

const MAX_MESSAGE_CHARACTERS = 1_024;
const MAX_LEAVES_NAMED = 20;

/** A text for a status, cut where it is too long. */
export function truncate(text: string, maxCharacters = MAX_MESSAGE_CHARACTERS): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters - 1)}…`;
}

/** Gives conditions their times: a time changes only when the status does (Kubernetes API conventions). */
export function withTransitionTimes(
  conditions: readonly Condition[],
  before: readonly StatusCondition[],
  nowMs: number,
): StatusCondition[] {
  return conditions.map((condition) => {
    const old = before.find(({ type }) => type === condition.type);
    const isSame = old !== undefined && old.status === condition.status;
    const lastTransitionTime = isSame ? old.lastTransitionTime : new Date(nowMs).toISOString();
    return { ...condition, message: truncate(condition.message), lastTransitionTime };
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
  leaves.length === 0 ? "" : `${verdict}: ${formatList(leaves)}. `;

/** `a, b and 7 more`, sorted. */
export function formatList(leaves: readonly string[], max = MAX_LEAVES_NAMED): string {
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

export interface ReadyInput {
  accepted: Condition;
  /** Whether there is a form of the record that stands, be it an older one. */
  hasForm: boolean;
  /** In DNS; undefined while nobody has decided it. */
  published: readonly Endpoint[] | undefined;
  extra: readonly Condition[];
}

/** Whether the record as it is written is in DNS as it was decided. Health is another matter. */
export function readyCondition({ accepted, hasForm, published, extra }: ReadyInput): Condition {
  const conflict = extra.find(({ type, status }) => type === "PublisherConflict" && status === "True");
  if (conflict !== undefined) return notReady("PublisherConflict", conflict.message);
  if (accepted.status === "False") {
    const effect = hasForm ? "The form that was accepted last stands." : "Nothing of it is published.";
    return notReady("NotAccepted", `The spec is refused (see Accepted). ${effect}`);
  }
  if (published === undefined)
    return notReady("Undecided", "Neither the edge nor its silence has decided the host yet.");
  if (published.length === 0) return notReady("NothingPublished", "No leaf was proven healthy yet.");
  return { type: "Ready", status: "True", reason: "Published", message: "" };
}

const notReady = (reason: string, message: string): Condition => ({ type: "Ready", status: "False", reason, message });

const readable = statusCondition.extend({ lastTransitionTime: z.iso.datetime({ offset: true }) });

const withConditions = z.object({
  conditions: z
    .array(readable.optional().catch(undefined))
    .transform((list) => list.filter((one) => one !== undefined))
    .catch([]),
});

/** The conditions of a status as it is there; those that somebody wrote in another form are left out. */
export function conditionsOf(status: unknown): StatusCondition[] {
  return withConditions.safeParse(status).data?.conditions ?? [];
}

/** Conditions that say that a leaf is not watched as its owner asked, and the status in which they say so. */
const UNWATCHED: Readonly<Record<string, "True" | "False">> = {
  HeadersReady: "False",
  Resting: "True",
  NotChecked: "True",
  NotProbeable: "True",
  Conflict: "True",
};

/**
 * What a person must fix in a record before its leaves are probed as specified, one line each. They stay published
 * meanwhile, so that nobody would notice a mistyped Secret by the answers of DNS.
 */
export function unwatchedWarnings(
  records: Readonly<Record<string, { status: Pick<OwnRecordStatus, "conditions"> }>>,
): string[] {
  return Object.entries(records).flatMap(([key, { status }]) =>
    status.conditions
      .filter((condition) => UNWATCHED[condition.type] === condition.status)
      .map(
        ({ type, reason, message }) =>
          `${key} is published without being watched as asked (${type}, ${reason}): ${message}`,
      ),
  );
}
