import { DNS_ENDPOINT, DNS_RECORD, type Kind } from "../kubernetes/kinds.ts";
import { FIELD_MANAGER, type KubeObject, type ObjectRef, refKey } from "../kubernetes/object.ts";
import { contains, ownedFields, ownsMore } from "./compare.ts";
import type { Scope, Wanted, WantedObject, WantedStatus } from "./desired.ts";

const MANAGED_BY = "app.kubernetes.io/managed-by";

/** The next step that makes an object as desired. */
export type Step =
  | { type: "Create"; object: KubeObject }
  | { type: "Apply"; object: KubeObject }
  | { type: "ApplyStatus"; object: KubeObject; timesOnly: boolean }
  | { type: "Delete"; uid: string }
  /** A foreign object has this name. */
  | { type: "Foreign" }
  /** The desired object must never be written. */
  | { type: "Refused"; message: string };

/** A key that is unique among the objects of all kinds. */
export const keyOf = (kind: Kind, ref: ObjectRef) => `${kind.plural}.${kind.apiVersion} ${refKey(ref)}`;

export const refOf = (wanted: Wanted): ObjectRef => (wanted.type === "Object" ? wanted.object.metadata : wanted.ref);

/**
 * Desired minus actual, for one object. Undefined if nothing is to be done, and while the object is being deleted. The main
 * part comes before the status.
 */
export function nextStep(wanted: Wanted, actual: KubeObject | undefined): Step | undefined {
  switch (wanted.type) {
    case "Kept":
      return undefined;
    case "Status":
      return actual?.metadata.uid === wanted.ref.uid ? statusStep(wanted.kind, wanted.status, actual) : undefined;
    case "Object":
      return objectStep(wanted, actual);
  }
}

function objectStep(wanted: WantedObject, actual: KubeObject | undefined): Step | undefined {
  const message = wanted.kind === DNS_ENDPOINT ? emptinessOf(wanted.object) : undefined;
  if (message !== undefined) return { type: "Refused", message };
  if (actual === undefined) return { type: "Create", object: wanted.object };
  if (!isOurs(actual, wanted.object)) return { type: "Foreign" };
  if (actual.metadata.deletionTimestamp !== undefined) return undefined;
  if (!saysAll(actual, wanted.object)) {
    const metadata = { ...wanted.object.metadata, ...identityOf(wanted.kind, actual) };
    return { type: "Apply", object: { ...wanted.object, metadata } };
  }
  return wanted.status && statusStep(wanted.kind, wanted.status, actual);
}

function statusStep(kind: Kind, status: WantedStatus["status"], actual: KubeObject): Step | undefined {
  const says = (ignoreTimes: boolean) =>
    contains(actual.status, status, { ignoreTimes }) &&
    !ownsMore(ownedFields(actual, FIELD_MANAGER, "status"), { status }, { ignoreTimes });
  if (says(false)) return undefined;
  const { name, namespace } = actual.metadata;
  const object = {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name, ...(namespace !== undefined && { namespace }), ...identityOf(kind, actual) },
    status,
  };
  return { type: "ApplyStatus", object, timesOnly: says(true) };
}

/** Whether an object of the desired name is ours: by its label, or by an owner that we gave it. */
export function isOurs({ metadata }: KubeObject, wanted?: KubeObject): boolean {
  if (metadata.labels?.[MANAGED_BY] === FIELD_MANAGER) return true;
  const owners = new Set((wanted?.metadata.ownerReferences ?? []).map(({ uid }) => uid));
  return (metadata.ownerReferences ?? []).some(({ uid }) => owners.has(uid));
}

function saysAll(actual: KubeObject, { metadata, spec }: KubeObject): boolean {
  const { labels, annotations, ownerReferences } = metadata;
  const said = { labels: labels ?? {}, annotations: annotations ?? {}, ownerReferences: ownerReferences ?? [] };
  const there = { labels: {}, annotations: {}, ownerReferences: [], ...actual.metadata };
  const whole = { metadata, ...(spec !== undefined && { spec }) };
  const exactly = { ignoreTimes: false };
  return (
    contains(there, said, exactly) &&
    (spec === undefined || contains(actual.spec, spec, exactly)) &&
    !ownsMore(ownedFields(actual, FIELD_MANAGER, ""), whole, exactly)
  );
}

/**
 * Which object a write is for. Server-side apply would create an object that is gone; with the uid it fails instead. Objects that
 * decide what is in DNS also name the version that was read. A late write of a former leader is then refused.
 */
function identityOf(kind: Kind, { metadata: { uid, resourceVersion } }: KubeObject): Partial<KubeObject["metadata"]> {
  const isInDns = kind === DNS_ENDPOINT || kind === DNS_RECORD;
  return { ...(uid !== undefined && { uid }), ...(isInDns && resourceVersion !== undefined && { resourceVersion }) };
}

/** Whether an object that is not desired is to be deleted. */
export function isLeftover(actual: KubeObject, scopes: readonly Scope[]): boolean {
  const labels = actual.metadata.labels ?? {};
  const isIn = (scope: Scope) => Object.entries(scope.labels).every(([name, value]) => labels[name] === value);
  return isOurs(actual) && actual.metadata.deletionTimestamp === undefined && scopes.some(isIn);
}

type EndpointSet = { dnsName?: unknown; targets?: unknown };

function endpointsOf({ spec }: KubeObject): readonly EndpointSet[] {
  const endpoints = (spec as { endpoints?: unknown } | undefined)?.endpoints;
  return Array.isArray(endpoints) ? endpoints : [];
}

/** The DNS names that an object publishes. */
export function namesIn(object: KubeObject): Set<unknown> {
  return new Set(endpointsOf(object).map(({ dnsName }) => dnsName));
}

function emptinessOf(object: KubeObject): string | undefined {
  const endpoints = endpointsOf(object);
  if (endpoints.length === 0) return "spec.endpoints: must not be empty, for that would take the host out of DNS";
  const index = endpoints.findIndex(({ targets }) => !Array.isArray(targets) || targets.length === 0);
  return index < 0 ? undefined : `spec.endpoints[${index}].targets: must not be empty`;
}
