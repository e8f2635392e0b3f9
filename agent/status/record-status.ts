import type { Condition } from "../../shared/model/condition.ts";
import type { Endpoint } from "../../shared/model/endpoint.ts";
import type { DeliveredProbe, DeliveredRecord } from "../edge/delivered.ts";
import { acceptedBefore, inForce, statedAccepted } from "../plan/accepted-specs.ts";
import type { HostsPlan } from "../plan/plan-hosts.ts";
import type { OwnRecord } from "../sources/manifest-file.ts";
import { contactCondition, healthCondition, notProbed, withTransitionTimes } from "./conditions.ts";
import { notProbeableIn, type OwnShare, ownProbes, probedLeaves } from "./own-probes.ts";
import type { OwnRecordStatus, ProbeSummary, RecordState, State } from "./state.ts";

export interface StatusInput {
  cluster: string;
  record: OwnRecord;
  before: OwnRecordStatus | undefined;
  delivered: DeliveredRecord | undefined;
  published: readonly Endpoint[] | undefined;
  accepted: Condition;
  edgeReachable: Condition;
  nowMs: number;
}

/** The status of one record, from the edge's report and the DNS content. */
export function recordStatus(input: StatusInput): OwnRecordStatus {
  const { record, delivered, before } = input;
  const share = { cluster: input.cluster, record: record.key };
  const isOurs = (one: { cluster: string; record: string }) =>
    one.cluster === share.cluster && one.record === share.record;
  const probes = ownProbes(delivered, share);
  const health = healthOf(record, delivered, share);
  const ours = [input.accepted, health, input.edgeReachable];
  const known = new Set(ours.map(({ type }) => type));
  const said = (delivered?.shares.find(isOurs)?.conditions ?? [])
    .filter(({ type }) => !known.has(type))
    .map(asCondition);
  const configuration = record.headersProblem === undefined ? [] : [headersCondition(record.headersProblem)];
  return {
    rootHost: record.spec.rootHost,
    ...(record.generation !== undefined && { observedGeneration: record.generation }),
    conditions: withTransitionTimes([...ours, ...configuration, ...said], before?.conditions ?? [], input.nowMs),
    published: [...(input.published ?? [])],
    leaves: delivered?.leaves ?? [],
    probes: probeSummaries(probes),
  };
}

function healthOf(record: OwnRecord, delivered: DeliveredRecord | undefined, share: OwnShare): Condition {
  if (record.spec.healthCheck === undefined) return notProbed("The record has no health check.");
  const watched = probedLeaves(record.spec);
  if (watched.length === 0) return notProbed("All leaves stand behind a wildcard: name a healthCheck.host.");
  const notProbeable = notProbeableIn(delivered, share);
  const whys = watched.flatMap((leaf) => notProbeable(leaf) ?? []);
  return whys.length === watched.length ? notProbed(whys[0] ?? "") : healthCondition(ownProbes(delivered, share));
}

const asCondition = ({
  type,
  status,
  reason,
  message,
}: Condition | { type: string; status: string; reason: string; message: string }): Condition => ({
  type,
  status: status === "True" || status === "False" ? status : "Unknown",
  reason,
  message,
});

const headersCondition = (message: string): Condition => ({
  type: "HeadersReady",
  status: "False",
  reason: "SecretUnusable",
  message,
});

/** Each probe in a few words. */
export function probeSummaries(probes: readonly DeliveredProbe[]): ProbeSummary[] {
  return probes.map(summary);
}

function summary(probe: DeliveredProbe): ProbeSummary {
  return {
    leaf: probe.leaf,
    verdict: probe.verdict,
    since: new Date(probe.since).toISOString(),
    consecutiveFailures: probe.consecutiveFailures,
    failureThreshold: probe.failureThreshold,
    regions: Object.fromEntries(probe.regions.map((region) => [region.region, says(region)])),
  };
}

/**
 * `Unhealthy (ConnectFailed)`, `Healthy (despite CertificateExpired)` where a bad certificate is allowed, or `Silent`
 * for a region that does not report.
 */
function says({ freshness, counts, observation }: DeliveredProbe["regions"][number]): string {
  const word = freshness === "Fresh" ? counts.says : freshness;
  if (observation === undefined) return word;
  if (observation.reason !== "Ok") return `${word} (${observation.reason})`;
  const letPass = observation.tls?.skipped?.reason;
  return letPass === undefined ? word : `${word} (despite ${letPass})`;
}

export interface About {
  cluster: string;
  contact: "Heard" | "Awaited" | "Silent";
  edgeStaleAfterMs: number;
  nowMs: number;
}

/** The entries of all records: status, manifest and the edge's report. Records that are gone are not among them. */
export function recordStates(
  records: readonly OwnRecord[],
  before: State["records"],
  plan: HostsPlan,
  about: About,
): State["records"] {
  return Object.fromEntries(
    records.map((record) => [record.key, recordState(record, before[record.key], plan, about)]),
  );
}

function recordState(record: OwnRecord, before: RecordState | undefined, plan: HostsPlan, about: About): RecordState {
  const standing = inForce(record, before) ?? record;
  const { rootHost } = standing.spec;
  const host = plan.hosts[rootHost];
  const basis = plan.bases.get(rootHost);
  const status = recordStatus({
    cluster: about.cluster,
    record: standing,
    before: before?.status,
    delivered: host?.delivered,
    published: host?.served,
    accepted: statedAccepted(record, before),
    edgeReachable: contactCondition(about.contact, about.edgeStaleAfterMs, basis),
    nowMs: about.nowMs,
  });
  return { status, manifest: { ...originOf(record), spec: record.specInput }, ...acceptedBefore(record, before) };
}

function originOf({ file, line, uid, generation, createdAt }: OwnRecord): Omit<RecordState["manifest"], "spec"> {
  return {
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
    ...(uid !== undefined && { uid }),
    ...(generation !== undefined && { generation }),
    ...(createdAt !== undefined && { createdAt }),
  };
}
