import { isDeepStrictEqual } from "node:util";
import type { PolicyStatus } from "../../../shared/model/dns-health-check-policy.ts";
import { type KubeObject, refKey } from "../../kubernetes/object.ts";
import { parseSpec, readDerived } from "./derived-record.ts";
import { type DesiredRecords, desiredRecords } from "./desired-records.ts";
import { type Gateway, readGateway } from "./gateway.ts";
import { type Attachment, attachPolicies, olderFirst, type Policy, readPolicy } from "./policy-attachment.ts";
import { type Diagnostic, gatewayDiagnostics, policyStatusOf } from "./policy-status.ts";

/**
 * The objects in the cluster. A kind that the cluster does not serve is undefined, which differs from an empty list.
 */
export interface ClusterState {
  gateways: readonly KubeObject[] | undefined;
  policies: readonly KubeObject[] | undefined;
  records: readonly KubeObject[];
}

/** The writes that make records and statuses as desired. Empty if they already are. */
export interface Changes {
  /** The desired DNSRecords; with a uid if the object exists. */
  applies: readonly KubeObject[];
  /** Existing DNSRecords. */
  deletes: readonly KubeObject[];
  statuses: readonly { policy: KubeObject; status: PolicyStatus }[];
}

/**
 * Desired minus actual. While the cluster does not serve Gateways or policies, all records stay as they are. A record
 * is deleted only if its source is known to be gone. @param nowMs Unix ms
 */
export function planChanges(world: ClusterState, nowMs: number): Changes {
  const gateways = world.gateways?.map(readGateway).sort(olderFirst);
  const policies = (world.policies?.map(readPolicy) ?? []).sort(olderFirst);
  const attachment = attachPolicies(gateways, policies);
  if (gateways === undefined || world.policies === undefined)
    return { applies: [], deletes: [], statuses: statusesOf(policies, attachment, [], nowMs) };
  const existing = Map.groupBy(world.records, ({ metadata }) => metadata.namespace ?? "default");
  const results = gateways.map((gateway) => {
    const records = existing.get(gateway.namespace) ?? [];
    const byName = new Map(records.map((object) => [object.metadata.name, object]));
    return { gateway, ...desiredRecords(gateway, attachment, byName) };
  });
  const { wanted, findings } = withoutTwins(results);
  const kept = new Set(results.flatMap((one) => one.kept.map((name) => refKey({ ...one.gateway, name }))));
  const all = [...findings, ...gateways.flatMap((gateway) => gatewayDiagnostics(gateway, attachment))];
  return {
    ...recordChanges(
      world.records,
      wanted,
      (object) => kept.has(refKey(object.metadata)) || isHeld(object, gateways, policies),
    ),
    statuses: statusesOf(policies, attachment, all, nowMs),
  };
}

type Results = readonly ({ gateway: Gateway } & DesiredRecords)[];

/** Two Gateways may yield the same record name through their listeners' names. The older Gateway gets it. */
function withoutTwins(results: Results): { wanted: Map<string, KubeObject>; findings: Diagnostic[] } {
  const wanted = new Map<string, KubeObject>();
  const findings = results.flatMap((result) => [...result.findings]);
  for (const { gateway, records } of results) {
    for (const record of records) {
      const key = refKey(record.metadata);
      if (!wanted.has(key)) wanted.set(key, record);
      else findings.push(twinOf(record, gateway));
    }
  }
  return { wanted, findings };
}

function twinOf(record: KubeObject, { namespace }: Gateway): Diagnostic {
  const policy = readDerived(record)?.policy ?? "";
  const message = `The name ${record.metadata.name} is taken by a record of an older Gateway: rename the listener.`;
  return { policy: refKey({ namespace, name: policy }), kind: "Note", message };
}

/** A record stays while its policy exists but has no readable target. */
function isHeld(object: KubeObject, gateways: readonly Gateway[], policies: readonly Policy[]): boolean {
  const derived = readDerived(object);
  const { namespace } = object.metadata;
  const isOf = (one: { namespace: string; name: string; isBeingDeleted: boolean }, name: string | undefined) =>
    one.namespace === namespace && one.name === name && !one.isBeingDeleted;
  return (
    gateways.some((gateway) => isOf(gateway, derived?.gateway)) &&
    policies.some((policy) => isOf(policy, derived?.policy) && policy.target === undefined)
  );
}

function recordChanges(
  records: readonly KubeObject[],
  wanted: ReadonlyMap<string, KubeObject>,
  stays: (object: KubeObject) => boolean,
): Pick<Changes, "applies" | "deletes"> {
  const existing = new Map(records.map((object) => [refKey(object.metadata), object]));
  const applies = wanted.entries().flatMap(([key, object]): KubeObject[] => {
    const actual = existing.get(key);
    if (actual === undefined) return [object];
    const { uid, deletionTimestamp } = actual.metadata;
    if (deletionTimestamp !== undefined || matchesDesired(actual, object)) return [];
    return [{ ...object, metadata: { ...object.metadata, ...(uid !== undefined && { uid }) } }];
  });
  const deletes = records.filter(
    (object) =>
      object.metadata.deletionTimestamp === undefined &&
      !wanted.has(refKey(object.metadata)) &&
      readDerived(object) !== undefined &&
      !stays(object),
  );
  return { applies: [...applies], deletes };
}

function statusesOf(
  policies: readonly Policy[],
  { verdicts }: Attachment,
  findings: readonly Diagnostic[],
  nowMs: number,
): Changes["statuses"] {
  const byPolicy = Map.groupBy(findings, ({ policy }) => policy);
  return policies.flatMap((policy) => {
    const verdict = verdicts.get(policy.key);
    const status = verdict && policyStatusOf(policy, verdict, byPolicy.get(policy.key) ?? [], nowMs);
    return status === undefined || isDeepStrictEqual(status, policy.object.status)
      ? []
      : [{ policy: policy.object, status }];
  });
}

type Texts = Readonly<Record<string, string>>;

/**
 * Whether a DNSRecord matches the desired one. Foreign labels and annotations are ignored, and specs are compared as
 * parsed, since the API server fills in defaults.
 */
export function matchesDesired(actual: KubeObject, wanted: KubeObject): boolean {
  const { labels, annotations, ownerReferences = [] } = wanted.metadata;
  const there = actual.metadata;
  return (
    hasAll(there.labels, labels) &&
    hasAll(there.annotations, annotations) &&
    ownerReferences.every(({ uid }) => there.ownerReferences?.some((one) => one.uid === uid)) &&
    isSameSpec(actual.spec, wanted.spec)
  );
}

const hasAll = (there: Texts = {}, wanted: Texts = {}) =>
  Object.entries(wanted).every(([name, value]) => there[name] === value);

/** Compares parsed specs, so that different notations are equal. */
function isSameSpec(actual: unknown, wanted: unknown): boolean {
  return isDeepStrictEqual(parseSpec(actual).data ?? actual, parseSpec(wanted).data ?? wanted);
}
