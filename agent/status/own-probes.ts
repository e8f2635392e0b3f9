import type { RecordSpec } from "../../shared/model/record.ts";
import { hasProbeHost } from "../../shared/record/probe-host.ts";
import { readTree } from "../../shared/record/tree.ts";
import type { DeliveredProbe, DeliveredRecord } from "../edge/delivered.ts";

/** The leaves that the record's own health check probes, sorted. Empty without a health check. */
export function probedLeaves(spec: Pick<RecordSpec, "rootHost" | "endpoints" | "healthCheck">): string[] {
  const check = spec.healthCheck;
  const reading = readTree(spec.endpoints);
  if (check === undefined || !reading.ok) return [];
  return reading.tree.leaves.filter((leaf) => hasProbeHost(spec, check, leaf));
}

/** Identifies a record of this cluster. */
export interface OwnShare {
  cluster: string;
  /** `namespace/name` */
  record: string;
}

/** The probes of one record of this cluster, as delivered last. */
export function ownProbes(delivered: DeliveredRecord | undefined, { cluster, record }: OwnShare): DeliveredProbe[] {
  return delivered?.probes.filter((probe) => probe.cluster === cluster && probe.record === record) ?? [];
}

/**
 * Returns a function that says why the edge does not probe a leaf although the record asks for it. It returns undefined
 * if the edge probes the leaf or has not reported it yet.
 */
export function notProbeableIn(
  delivered: DeliveredRecord | undefined,
  { cluster, record }: OwnShare,
): (leaf: string) => string | undefined {
  const share = delivered?.shares.find((one) => one.cluster === cluster && one.record === record);
  const why = share?.conditions.find(({ type, status }) => type === "NotProbeable" && status === "True")?.message;
  const unprobed = delivered?.leaves.filter(({ reason }) => reason === "NotProbed") ?? [];
  const leaves = new Set(unprobed.map(({ leaf }) => leaf));
  return (leaf) => (leaves.has(leaf) ? why : undefined);
}
