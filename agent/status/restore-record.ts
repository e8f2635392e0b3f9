import { z } from "zod";
import type { StatusCondition } from "../../shared/model/condition.ts";
import { probeObjectStatus } from "../../shared/model/dns-health-check-probe.ts";
import { type DnsRecordStatus, dnsRecordStatus } from "../../shared/model/dns-record.ts";
import { recordSpec } from "../../shared/model/record.ts";
import { type DeliveredRecord, readDeliveredRecord } from "../edge/delivered.ts";
import { probeName } from "../kubernetes/metadata.ts";
import { type KubeObject, refKey } from "../kubernetes/object.ts";
import { type Acceptance, digestOf } from "../plan/accepted-specs.ts";
import { publishedForms } from "../sources/api-records.ts";
import type { OwnRecord } from "../sources/manifest-file.ts";
import { conditionsOf } from "./conditions.ts";

export interface DeliveredInput {
  record: OwnRecord;
  /** Of the form that the record stands with. */
  rootHost: string;
  /** Of the DNSRecord. */
  status: unknown;
  /** Probe objects by `namespace/name`. */
  probes: ReadonlyMap<string, KubeObject>;
  cluster: string;
}

const storedDecision = z.object({
  decision: dnsRecordStatus.shape.decision.catch(undefined),
  probes: dnsRecordStatus.shape.probes.catch(undefined),
});

/** The edge's last decision on the root host, as stored in a record's status; undefined without one. */
export function restoreDelivered(input: DeliveredInput): DeliveredRecord | undefined {
  const { decision, probes = [] } = storedDecision.safeParse(input.status).data ?? {};
  if (decision === undefined) return undefined;
  const json = {
    ...decision,
    rootHost: input.rootHost,
    decidedAt: Date.parse(decision.decidedAt),
    probes: probes.map((probe) => ({ ...probe, since: Date.parse(probe.since), regions: regionsOf(probe, input) })),
  };
  const read = readDeliveredRecord(json, "status.decision");
  return typeof read === "string" ? undefined : read;
}

type Probe = NonNullable<DnsRecordStatus["probes"]>[number];

const withRegions = z.object({ regions: probeObjectStatus.shape.regions });

/** What each region said, from the probe object: only those of this cluster have one here. */
function regionsOf({ cluster, record, leaf }: Probe, input: DeliveredInput): object[] {
  const [namespace = "", name = ""] = record.split("/");
  if (cluster !== input.cluster) return [];
  const object = input.probes.get(refKey({ namespace, name: probeName(name, leaf) }));
  const regions = withRegions.safeParse(object?.status).data?.regions ?? [];
  return regions.map(({ region, freshness, says, colo, ...rest }) => ({
    region,
    freshness,
    counts: { failures: rest.consecutiveFailures, successes: rest.consecutiveSuccesses, says },
    checkedAt: timeOf(rest.lastCheckedAt),
    colo,
    observation: rest.reason && {
      reason: rest.reason,
      message: rest.message,
      httpStatus: rest.httpStatus,
      tls: rest.certificateExpiresAt && { expiresAt: timeOf(rest.certificateExpiresAt) },
    },
  }));
}

const timeOf = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text));

/** Conditions of a status that the agent itself makes; the others are what the edge said of the share. */
const OWN_TYPES = new Set([
  "Accepted",
  "Ready",
  "Healthy",
  "EdgeReachable",
  "HeadersReady",
  "PublisherConflict",
  "Withdrawn",
]);

/** The decision with what the edge said of this cluster's shares, which stands in the status of each record. */
export function withConditions(
  delivered: DeliveredRecord,
  records: readonly { record: OwnRecord; status: unknown }[],
  cluster: string,
): DeliveredRecord {
  const said = new Map(records.map(({ record, status }) => [record.key, conditionsOf(status)]));
  const shares = delivered.shares.map((share) => ({
    ...share,
    conditions: (share.cluster === cluster ? (said.get(share.record) ?? []) : [])
      .filter(({ type }) => !OWN_TYPES.has(type))
      .map(({ type, status, reason, message }) => ({ type, status, reason, message })),
  }));
  return { ...delivered, shares };
}

const storedForms = z.object({
  lastAccepted: z.object({ spec: z.unknown() }).optional().catch(undefined),
  published: z.array(z.unknown()).min(1).optional().catch(undefined),
});

/**
 * What the edge said of the record as it stands, and the form that it took last. If a record was edited while no agent
 * ran, its accepted form is lost. The DNS content replaces it if the edge refuses the new form.
 */
export function restoreAcceptance(record: OwnRecord, status: unknown): Acceptance {
  if (record.refusal !== undefined) return {};
  const { lastAccepted, published = [] } = storedForms.safeParse(status).data ?? {};
  const said = saidOf(record, conditionsOf(status));
  if (said?.status === "True") return { answer: answerOf(record, said) };
  const former = lastAccepted?.spec ?? (said === undefined ? formOf(record, published) : undefined);
  return { ...(said && { answer: answerOf(record, said) }), ...(former !== undefined && { acceptedSpec: former }) };
}

/** The edge's word on this very generation. */
function saidOf({ generation }: OwnRecord, conditions: readonly StatusCondition[]): StatusCondition | undefined {
  const accepted = conditions.find(({ type }) => type === "Accepted");
  if (generation === undefined || accepted?.observedGeneration !== generation) return undefined;
  return accepted.status === "Unknown" ? undefined : accepted;
}

function answerOf(record: OwnRecord, { type, status, reason, message }: StatusCondition): Acceptance["answer"] {
  return { digest: digestOf(record.specInput), condition: { type, status, reason, message } };
}

function formOf({ specInput }: OwnRecord, published: readonly unknown[]): unknown {
  if (published.length === 0) return undefined;
  return publishedForms(specInput, published).find((form) => recordSpec.safeParse(form).success);
}
