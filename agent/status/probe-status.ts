import { z } from "zod";
import type { Condition } from "../../shared/model/condition.ts";
import type { ProbeObjectStatus } from "../../shared/model/dns-health-check-probe.ts";
import type { DeliveredProbe, DeliveredRegion } from "../edge/delivered.ts";
import { rfc3339 } from "../kubernetes/time.ts";
import { conditionsOf, formatList, truncate, withTransitionTimes } from "./conditions.ts";
import { suppressFailureChurn, suppressSuccessChurn } from "./suppress-count-churn.ts";

const MAX_MESSAGE_CHARACTERS = 300;

export interface ProbeStatusInput {
  /** What the edge said last; undefined where it has not said anything of the leaf. */
  probe: DeliveredProbe | undefined;
  /** Why the edge does not probe the leaf, where that is so. */
  notProbeable: string | undefined;
  /** Which step of the decision published or withheld the leaf. */
  publishedReason: string | undefined;
  /** Of the record: successes beyond it say nothing more, and would be a write for each check. */
  successThreshold: number;
  failureThreshold: number;
  /** The status as it is there. */
  before: unknown;
  /** Whether exact counts are due, as check times are. */
  refreshTimes: boolean;
  nowMs: number;
}

const counted = z.object({
  consecutiveFailures: z.number().optional().catch(undefined),
  regions: z
    .array(
      z.object({
        region: z.string(),
        says: z.string(),
        consecutiveFailures: z.number(),
        consecutiveSuccesses: z.number(),
      }),
    )
    .catch([]),
});

const countsIn = (status: unknown): z.output<typeof counted> => counted.safeParse(status).data ?? { regions: [] };

/** The status of one probe object. */
export function probeStatus(input: ProbeStatusInput): ProbeObjectStatus {
  const { probe, publishedReason, before, failureThreshold, successThreshold, refreshTimes, nowMs } = input;
  const shown = countsIn(before);
  const byName = new Map((probe?.regions ?? []).map((region) => [region.region, region]));
  const regions = [...byName.values()].sort((a, b) => (a.region < b.region ? -1 : 1));
  const checkedAt = Math.max(...regions.flatMap((region) => checkedAtOf(region) ?? []));
  const verdict = probe?.verdict ?? "Pending";
  const last = lastOf(input, regions);
  return {
    conditions: withTransitionTimes([healthOf(verdict, last, regions)], conditionsOf(before), nowMs),
    ...(verdict === "Healthy" && { healthy: true }),
    ...(verdict === "Unhealthy" && { healthy: false }),
    verdict,
    ...(probe && { since: rfc3339(probe.since) }),
    consecutiveFailures: suppressFailureChurn({
      count: probe?.consecutiveFailures ?? 0,
      failureThreshold,
      shown: shown.consecutiveFailures,
      refreshTimes,
    }),
    ...(Number.isFinite(checkedAt) && { lastCheckedAt: rfc3339(checkedAt) }),
    ...last,
    ...(publishedReason !== undefined && { publishedReason }),
    regions: regions.map((region) => {
      const { failures, successes, says } = region.counts;
      const said = shown.regions.find((one) => one.region === region.region);
      return {
        ...resultOf(region),
        consecutiveFailures: suppressFailureChurn({
          count: failures,
          failureThreshold,
          shown: said?.consecutiveFailures,
          refreshTimes,
        }),
        consecutiveSuccesses: suppressSuccessChurn({
          count: successes,
          says,
          successThreshold,
          shown: said,
          refreshTimes,
        }),
      };
    }),
  };
}

type Last = Pick<ProbeObjectStatus, "reason" | "message" | "status">;

/**
 * How the checks end: as in most of the regions that make the verdict, so that it does not change with who came last.
 */
function lastOf({ probe, notProbeable }: ProbeStatusInput, regions: readonly DeliveredRegion[]): Last {
  if (probe === undefined) {
    return notProbeable === undefined ? {} : { reason: "NotProbeable", message: truncate(notProbeable) };
  }
  if (probe.resting !== undefined) {
    return { reason: probe.resting.reason, message: truncate(probe.resting.message) };
  }
  const observed = regions.filter(({ observation }) => observation !== undefined);
  const agreeing = observed.filter(({ counts }) => counts.says === probe.verdict);
  const groups = Map.groupBy(agreeing.length > 0 ? agreeing : observed, ({ observation }) => observation?.reason);
  const [most] = [...groups.values()].sort((a, b) => b.length - a.length);
  const observation = most?.[0]?.observation;
  if (observation === undefined) return {};
  const { reason, message, httpStatus } = observation;
  return {
    reason,
    ...(message !== undefined && { message: truncate(message, MAX_MESSAGE_CHARACTERS) }),
    ...(httpStatus !== undefined && { status: httpStatus }),
  };
}

const HEALTH: Readonly<Record<string, Condition["status"]>> = { Healthy: "True", Unhealthy: "False" };

function healthOf(verdict: string, { reason, message = "" }: Last, regions: readonly DeliveredRegion[]): Condition {
  const type = "Healthy";
  const status = HEALTH[verdict] ?? "Unknown";
  if (reason === "NotProbeable") return { type, status, reason, message };
  switch (verdict) {
    case "Healthy":
      return { type, status, reason: verdict, message: "" };
    case "Unhealthy": {
      const saying = regions.filter(({ counts }) => counts.says === "Unhealthy").map(({ region }) => region);
      const where = saying.length === 0 ? "" : `${formatList(saying)}: `;
      return { type, status, reason: verdict, message: `${where}${reason ?? "no particulars"}` };
    }
    case "Pending":
      return { type, status, reason: verdict, message: message || "Not yet proven healthy or unhealthy." };
    case "Unknown":
      return { type, status, reason: verdict, message: message || "No region reports: published as if healthy." };
    default:
      return { type, status, reason: "Unknown", message: `The edge says ${verdict}, which this agent does not know.` };
  }
}

type Result = ProbeObjectStatus["regions"][number];

function resultOf({
  region,
  freshness,
  counts,
  colo,
  observation,
  ...rest
}: DeliveredRegion): Omit<Result, "consecutiveFailures" | "consecutiveSuccesses"> {
  const checkedAt = checkedAtOf({ observation, ...rest });
  const expiresAt = observation?.tls?.expiresAt ?? observation?.tls?.notAfter;
  const message = observation?.message ?? letPass(observation);
  return {
    region,
    freshness,
    says: counts.says,
    ...(observation !== undefined && { reason: observation.reason }),
    ...(message !== undefined && { message: truncate(message, MAX_MESSAGE_CHARACTERS) }),
    ...(observation?.httpStatus !== undefined && { httpStatus: observation.httpStatus }),
    ...(checkedAt !== undefined && { lastCheckedAt: rfc3339(checkedAt) }),
    ...(colo !== undefined && { colo }),
    ...(expiresAt !== undefined && { certificateExpiresAt: rfc3339(expiresAt) }),
  };
}

function letPass(observation: DeliveredRegion["observation"]): string | undefined {
  const skipped = observation?.tls?.skipped?.reason;
  return skipped && `despite ${skipped}, which allowInsecureCertificate lets pass`;
}

const checkedAtOf = ({ checkedAt, observation }: Pick<DeliveredRegion, "checkedAt" | "observation">) =>
  checkedAt ?? observation?.at;
