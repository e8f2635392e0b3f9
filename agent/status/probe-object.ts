import type { ProbeSpec } from "../../shared/model/dns-health-check-probe.ts";
import { formatDurationMs } from "../../shared/model/duration.ts";
import type { HealthCheck } from "../../shared/model/health-check.ts";
import { probeHost } from "../../shared/record/probe-host.ts";
import type { WantedObject } from "../apply/desired.ts";
import type { DeliveredRecord } from "../edge/delivered.ts";
import { DNS_HEALTH_CHECK_PROBE } from "../kubernetes/kinds.ts";
import { ownerReference, probeName, recordLabels } from "../kubernetes/metadata.ts";
import type { KubeObject, ObjectRef } from "../kubernetes/object.ts";

import type { OwnRecord } from "../sources/manifest-file.ts";

import { notProbeableIn, ownProbes, probedLeaves } from "./own-probes.ts";
import { probeStatus } from "./probe-status.ts";

export interface ProbesInput {
  /** With the spec in force. */
  record: OwnRecord;
  /** What the edge said of the record's root host last. */
  delivered: DeliveredRecord | undefined;
  cluster: string;
  /** The probe object as it is there. */
  objectAt: (ref: ObjectRef) => KubeObject | undefined;
  /** Whether exact counts are due, as check times are. */
  refreshTimes: boolean;
  nowMs: number;
}

/**
 * The probe objects of a record: one for each leaf of its health check, even before the edge has reported it. Empty for
 * a record without a health check or without a uid.
 */
export function probeObjects(input: ProbesInput): WantedObject[] {
  const { record, delivered, cluster, objectAt, refreshTimes, nowMs } = input;
  const owner = ownerReference(record);
  const check = record.spec.healthCheck;
  if (owner === undefined || check === undefined) return [];
  const share = { cluster, record: record.key };
  const probes = new Map(ownProbes(delivered, share).map((probe) => [probe.leaf, probe]));
  const reasons = new Map(delivered?.leaves.map(({ leaf, reason }) => [leaf, reason]));
  const notProbeable = notProbeableIn(delivered, share);
  const { apiVersion, kind } = DNS_HEALTH_CHECK_PROBE;
  return probedLeaves(record.spec).map((leaf) => {
    const ref = { name: probeName(record.name, leaf), namespace: record.namespace };
    const metadata = { ...ref, labels: recordLabels(record.name), ownerReferences: [owner] };
    const status = probeStatus({
      probe: probes.get(leaf),
      notProbeable: notProbeable(leaf),
      publishedReason: reasons.get(leaf),
      successThreshold: check.successThreshold,
      failureThreshold: check.failureThreshold,
      refreshTimes,
      before: objectAt(ref)?.status,
      nowMs,
    });
    const object: KubeObject = { apiVersion, kind, metadata, spec: specOf(record, check, leaf) };
    return { type: "Object", kind: DNS_HEALTH_CHECK_PROBE, object, status };
  });
}

function specOf({ name, spec }: OwnRecord, check: HealthCheck, address: string): ProbeSpec {
  const { path, expectedStatuses, allowHeadersInCleartext: _, allowInsecureCertificate, ...written } = check;
  const { intervalMs, confirmIntervalMs, timeoutMs, staleAfterMs, ...unchanged } = written;
  return {
    ...unchanged,
    record: name,
    rootHost: spec.rootHost,
    address,
    ...(check.protocol !== "TCP" && { host: probeHost(spec, check), path, expectedStatuses: textOf(expectedStatuses) }),
    ...(allowInsecureCertificate && { allowInsecureCertificate }),
    interval: formatDurationMs(intervalMs),
    confirmInterval: formatDurationMs(confirmIntervalMs),
    timeout: formatDurationMs(timeoutMs),
    staleAfter: formatDurationMs(staleAfterMs),
  };
}

const textOf = (statuses: HealthCheck["expectedStatuses"]) =>
  statuses.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`));
