import { DNS_RECORD } from "../../kubernetes/kinds.ts";
import type { KubeObject } from "../../kubernetes/object.ts";
import { type DerivedRecord, derivedMetadata, parseSpec, readDerived, recordName } from "./derived-record.ts";
import type { Gateway } from "./gateway.ts";
import { type Attachment, policiesOf, policyFor } from "./policy-attachment.ts";
import type { Diagnostic } from "./policy-status.ts";
import { type CoveredHost, coveredHosts, desiredSpec } from "./record-spec.ts";

/** The desired records of a Gateway. */
export interface DesiredRecords {
  /** The desired DNSRecords, without uid. */
  records: readonly KubeObject[];
  /** Names of records that stay as they are. */
  kept: readonly string[];
  findings: readonly Diagnostic[];
}

type Records = ReadonlyMap<string, KubeObject>;

/**
 * The records of a Gateway: one for each host name that a policy covers, named after its listener. If a record cannot
 * be made as desired, its last form stays. A Gateway without a policy has none, nor has one that is being deleted.
 *
 * @param existing the DNSRecords of the Gateway's namespace by name
 */
export function desiredRecords(gateway: Gateway, attachment: Attachment, existing: Records): DesiredRecords {
  const own = ownRecords(gateway, existing);
  const isUnclear = gateway.unreadable.length > 0 && policiesOf(attachment, gateway).length > 0;
  const shares = coveredHosts(gateway, (listener) => policyFor(attachment, gateway, listener));
  const results = shares.map((share) => recordOf(gateway, share, existing, own));
  return {
    records: results.flatMap(({ record }) => record ?? []),
    kept: [...(isUnclear ? own.map(nameOf) : []), ...results.flatMap(({ kept }) => kept ?? [])],
    findings: results.flatMap(({ finding }) => finding ?? []),
  };
}

function ownRecords(gateway: Gateway, existing: Records): DerivedRecord[] {
  return [...existing.values()]
    .flatMap((object) => readDerived(object) ?? [])
    .filter((record) => record.gateway === gateway.name)
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

const nameOf = ({ object }: DerivedRecord) => object.metadata.name;

type Result = { record?: KubeObject | undefined; kept?: string | undefined; finding?: Diagnostic | undefined };

function recordOf(gateway: Gateway, share: CoveredHost, existing: Records, own: readonly DerivedRecord[]): Result {
  const { host, listener, policy } = share;
  const name = recordName(gateway.name, listener.name);
  const say = (kind: Diagnostic["kind"], message: string | undefined): Diagnostic | undefined =>
    message === undefined ? undefined : { policy: policy.key, kind, message, about: host };
  const sameName = own.find((record) => nameOf(record) === name);
  const ofHost = own.filter(({ rootHost }) => rootHost === host);
  const last = ofHost.find((record) => record === sameName) ?? ofHost[0];
  if (existing.has(name) && sameName === undefined) {
    const message = `The DNSRecord ${name} is not this Gateway's, and is left alone: rename it or the listener.`;
    return { kept: last && nameOf(last), finding: say("Note", message) };
  }
  const metadata = derivedMetadata(name, gateway, listener.name, policy);
  const recordWith = (spec: unknown) => ({ apiVersion: DNS_RECORD.apiVersion, kind: DNS_RECORD.kind, metadata, spec });
  const wanted = desiredSpec(gateway, share, (last ?? sameName)?.targets ?? []);
  switch (wanted.kind) {
    case "Spec":
      return { record: recordWith(wanted.spec), finding: say("Note", wanted.note) };
    case "None":
      return { kept: last && nameOf(last) };
    case "Invalid":
      return { ...lastForm(last, recordWith), finding: say("Invalid", wanted.message) };
  }
}

/** An invalid record is not deleted: it keeps its last spec. Its owner and name still follow the Gateway. */
function lastForm(last: DerivedRecord | undefined, recordWith: (spec: unknown) => KubeObject): Result {
  if (last === undefined) return {};
  const { spec } = last.object;
  return parseSpec(spec).success ? { record: recordWith(spec) } : { kept: nameOf(last) };
}
