import { z } from "zod";
import type { Condition, StatusCondition } from "../../shared/model/condition.ts";
import { type DnsRecordStatus, dnsRecordStatus } from "../../shared/model/dns-record.ts";
import { readTree } from "../../shared/record/tree.ts";
import type { DeliveredRecord } from "../edge/delivered.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import { rfc3339 } from "../kubernetes/time.ts";
import { acceptedOf, inForce, statedAccepted } from "../plan/accepted-specs.ts";
import type { OwnRecord } from "../sources/manifest-file.ts";
import { conditionsOf, formatList, readyCondition, withTransitionTimes } from "./conditions.ts";
import { ownProbes } from "./own-probes.ts";
import type { HostState, RecordState } from "./state.ts";
import { suppressFailureChurn } from "./suppress-count-churn.ts";

const MAX_LEAVES_IN_SUMMARY = 3;
/** Reasons of `PublisherConflict` with which the host's content in DNS belongs to another owner. */
const FOREIGN_REASONS: ReadonlySet<string> = new Set(["OtherOwner", "ForeignObject"]);
/**
 * An object of the API has at most 1.5 MB, endpoints included. If there are more probes, those of other clusters come
 * first, since only they store the owners of these leaves.
 */
const MAX_SHOWN = 2_000;
/** The largest spec has about 0.4 MB. An object with `lastAccepted` holds it twice. */
const MAX_STATUS_CHARACTERS = 900_000;

export interface RecordStatusInput {
  record: OwnRecord;
  /** The agent's state of the record. */
  state: RecordState;
  /** The state of the root host of the spec in force. */
  host: HostState | undefined;
  cluster: string;
  /** Further conditions, such as `PublisherConflict`. */
  extra?: readonly Condition[];
  /** The current object. */
  object: KubeObject | undefined;
  /** Whether exact counts and check times are due. */
  refreshTimes: boolean;
  nowMs: number;
}

/** The status of a `DNSRecord` that is pushed and published. */
export function recordObjectStatus(input: RecordStatusInput): DnsRecordStatus {
  const { record, state, host, extra = [], object, nowMs } = input;
  const accepted = statedAccepted(record, state);
  const lastAccepted = accepted.status === "False" ? specInForce(record, state) : undefined;
  const ready = readyCondition({
    accepted,
    published: host?.served,
    hasForm: inForce(record, state) !== undefined,
    extra,
  });
  const others = withTransitionTimes([ready, ...extra], conditionsOf(object?.status), nowMs);
  const about = record.generation;
  return bounded({
    ...(about !== undefined && { observedGeneration: about }),
    conditions: [...state.status.conditions, ...others].map((one) => aboutGeneration(one, about)),
    ...(host?.served && { published: [...host.served] }),
    ...(host?.delivered && { decision: decisionOf(host.delivered), probes: probesOf(host.delivered, input) }),
    summary: summaryOf(inForce(record, state) ?? record, input),
    ...(lastAccepted && { lastAccepted: { spec: lastAccepted } }),
  });
}

/**
 * Omits decision and probes if the API server could not store them beside the largest spec. After a takeover the
 * decision then comes with the next delivery; only silence at that moment would lose it.
 */
function bounded(status: DnsRecordStatus): DnsRecordStatus {
  if (JSON.stringify(status).length <= MAX_STATUS_CHARACTERS) return status;
  const { decision: _, probes: __, ...rest } = status;
  return rest;
}

/** The status of a `DNSRecord` that is not published: it was never accepted, or it is being deleted. */
export function inactiveRecordStatus(
  object: KubeObject,
  conditions: readonly Condition[],
  nowMs: number,
): DnsRecordStatus {
  const { generation } = object.metadata;
  return {
    ...(generation !== undefined && { observedGeneration: generation }),
    conditions: withTransitionTimes(conditions, conditionsOf(object.status), nowMs).map((one) =>
      aboutGeneration(one, generation),
    ),
  };
}

const aboutGeneration = (condition: StatusCondition, generation: number | undefined): StatusCondition => ({
  ...condition,
  ...(generation !== undefined && { observedGeneration: generation }),
});

/** The accepted spec, if the current one was refused. */
function specInForce(record: OwnRecord, state: RecordState): Record<string, unknown> | undefined {
  const input = acceptedOf(record, state).status === "False" ? state.acceptedSpec : record.specInput;
  return z.record(z.string(), z.unknown()).safeParse(input).data;
}

function decisionOf(delivered: DeliveredRecord): NonNullable<DnsRecordStatus["decision"]> {
  const { endpoints, whenSilent, shares, leaves, decidedAt } = delivered;
  return {
    endpoints,
    whenSilent,
    shares: shares.map(({ cluster, record }) => ({ cluster, record })),
    leaves: leaves.slice(0, MAX_SHOWN),
    decidedAt: rfc3339(decidedAt),
  };
}

type ShownProbe = NonNullable<DnsRecordStatus["probes"]>[number];

function probesOf(
  { probes }: DeliveredRecord,
  { cluster: ours, object, refreshTimes }: RecordStatusInput,
): ShownProbe[] {
  const [own, foreign] = [
    probes.filter(({ cluster }) => cluster === ours),
    probes.filter(({ cluster }) => cluster !== ours),
  ];
  const shown = probes.length > MAX_SHOWN ? [...foreign, ...own].slice(0, MAX_SHOWN) : probes;
  const before = new Map((counted.safeParse(object?.status).data?.probes ?? []).map((one) => [identityOf(one), one]));
  return shown.map(({ cluster, record, leaf, verdict, since, consecutiveFailures: count, failureThreshold }) => {
    const said = before.get(identityOf({ cluster, record, leaf }))?.consecutiveFailures;
    const consecutiveFailures = suppressFailureChurn({ count, failureThreshold, shown: said, refreshTimes });
    return {
      cluster,
      record,
      leaf,
      verdict,
      since: rfc3339(since),
      consecutiveFailures,
      failureThreshold: Math.trunc(failureThreshold),
    };
  });
}

const counted = z.object({ probes: dnsRecordStatus.shape.probes.catch(undefined) });

const identityOf = ({ cluster, record, leaf }: Pick<ShownProbe, "cluster" | "record" | "leaf">) =>
  JSON.stringify([cluster, record, leaf]);

function summaryOf(
  record: OwnRecord,
  { host, cluster, extra = [] }: RecordStatusInput,
): NonNullable<DnsRecordStatus["summary"]> {
  const reading = readTree(record.spec.endpoints);
  const leaves = reading.ok ? reading.tree.leaves : [];
  const isForeign = extra.some(({ reason, status }) => FOREIGN_REASONS.has(reason) && status === "True");
  const served = new Set(isForeign ? [] : host?.served?.flatMap(({ targets }) => targets));
  const probes = ownProbes(host?.delivered, { cluster, record: record.key });
  const unhealthy = probes.filter(({ verdict }) => verdict === "Unhealthy").map(({ leaf }) => leaf);
  return {
    published: `${leaves.filter((leaf) => served.has(leaf)).length}/${leaves.length}`,
    ...(unhealthy.length > 0 && { unhealthy: formatList(unhealthy, MAX_LEAVES_IN_SUMMARY) }),
  };
}
