import { fieldErrors, formatFieldError } from "../../../shared/model/field-error.ts";
import type { PolicyHealthCheck } from "../../../shared/model/health-check.ts";
import type { Protocol } from "../../../shared/model/protocol.ts";
import type { RecordSpecInput } from "../../../shared/model/record.ts";
import { readTree } from "../../../shared/record/tree.ts";
import { effectiveTargets, type Targets } from "./addresses.ts";
import { parseSpec, setIdentifier } from "./derived-record.ts";
import type { Gateway, Listener } from "./gateway.ts";
import type { Policy } from "./policy-attachment.ts";

/** The desired spec of a host's record. */
export type DesiredSpec =
  | { kind: "Spec"; spec: RecordSpecInput; note?: string }
  /** The Gateway has nothing to publish yet. */
  | { kind: "None" }
  /**
   * The policy yields no valid record. There is no message if the policy itself is invalid, since its verdict says so.
   */
  | { kind: "Invalid"; message?: string };

/**
 * Makes the spec of a host's record from its policy and the Gateway's addresses.
 *
 * @param lastTargets the current targets of the record
 */
export function desiredSpec(
  { addresses }: Gateway,
  { host, listener, policy, sameHost }: CoveredHost,
  lastTargets: readonly string[],
): DesiredSpec {
  if (!policy.reading.ok) return { kind: "Invalid" };
  const { healthCheck, minPublished, whenSilent, ...settings } = policy.reading.spec;
  const endpoints = endpointsFor(host, effectiveTargets(addresses, lastTargets), settings);
  if (endpoints.length === 0) return { kind: "None" };
  const check = healthCheck && healthCheckFor(healthCheck, listener, sameHost);
  const spec = { rootHost: host, endpoints, minPublished, whenSilent, ...(check && { healthCheck: check }) };
  const message = whyInvalid(spec);
  if (message !== undefined) return { kind: "Invalid", message };
  if (healthCheck === undefined || check !== undefined) return { kind: "Spec", spec };
  const note = `It is not probed, since the protocol ${listener.protocol} does not say how: set healthCheck.protocol.`;
  return { kind: "Spec", spec, note };
}

function whyInvalid(spec: RecordSpecInput): string | undefined {
  const result = parseSpec(spec);
  if (!result.success) return fieldErrors(result.error, spec, "spec").map(formatFieldError).join("; ");
  const tree = readTree(result.data.endpoints);
  return tree.ok ? undefined : tree.errors.map(formatFieldError).join("; ");
}

type EndpointInput = RecordSpecInput["endpoints"][number];

/** Several CNAME sets of one name need weights. This is the default for each. */
const EQUAL_WEIGHT = 100;

export interface EndpointSettings {
  /** Seconds. */
  recordTTL: number;
  /** 0 to 255. If it is set, a single host name becomes a weighted set too. */
  weight?: number | undefined;
}

/**
 * The record sets of a host: A and AAAA for addresses; for host names one CNAME, or a weighted set for each. A name
 * cannot have both, so host names are omitted if there are addresses.
 */
export function endpointsFor(rootHost: string, { ips, hosts }: Targets, settings: EndpointSettings): EndpointInput[] {
  const base = { dnsName: rootHost, recordTTL: settings.recordTTL };
  if (ips.length > 0) {
    const [v6, v4] = [ips.filter((ip) => ip.includes(":")), ips.filter((ip) => !ip.includes(":"))];
    return [
      ...(v4.length > 0 ? [{ ...base, recordType: "A" as const, targets: v4 }] : []),
      ...(v6.length > 0 ? [{ ...base, recordType: "AAAA" as const, targets: v6 }] : []),
    ];
  }
  const isPlain = hosts.length === 1 && settings.weight === undefined;
  const weight = { name: "aws/weight", value: String(settings.weight ?? EQUAL_WEIGHT) };
  return hosts.map((host) => ({
    ...base,
    recordType: "CNAME" as const,
    targets: [host],
    ...(!isPlain && { setIdentifier: setIdentifier(host), providerSpecific: [weight] }),
  }));
}

type HealthCheckInput = NonNullable<RecordSpecInput["healthCheck"]>;

/**
 * The probe protocol for each listener protocol. Other protocols (UDP, an implementation's own) need one in the policy.
 */
const PROBED_BY: Readonly<Record<string, Protocol>> = { HTTPS: "HTTPS", TLS: "HTTPS", HTTP: "HTTP", TCP: "TCP" };

/**
 * The health check of a listener's record: the policy's, completed by the listener's protocol and port. If the policy
 * names another protocol than the listener's, the port comes from the host's listener for that protocol. The listener's
 * own port speaks another protocol. Undefined if neither names a protocol. @param sameHost all listeners of the host,
 * by precedence
 */
export function healthCheckFor(
  check: PolicyHealthCheck,
  listener: Listener,
  sameHost: readonly Listener[],
): HealthCheckInput | undefined {
  const protocol = check.protocol ?? PROBED_BY[listener.protocol];
  if (protocol === undefined) return undefined;
  const port = check.port ?? portFor(protocol, listener, sameHost);
  return { ...check, protocol, ...(port !== undefined && { port }) };
}

function portFor(protocol: Protocol, listener: Listener, sameHost: readonly Listener[]): number | undefined {
  if (protocol === "TCP") return listener.port;
  return [listener, ...sameHost].find((one) => PROBED_BY[one.protocol] === protocol)?.port;
}

/** A host name of a Gateway that a policy covers. */
export interface CoveredHost {
  host: string;
  /** The first listener by precedence that a policy covers. */
  listener: Listener;
  policy: Policy;
  /** All listeners of the host, by precedence. */
  sameHost: readonly Listener[];
}

const PRECEDENCE = ["HTTPS", "TLS", "HTTP", "TCP"];

/** The host names of a Gateway that a policy covers, sorted. */
export function coveredHosts(gateway: Gateway, policyOf: (listener: string) => Policy | undefined): CoveredHost[] {
  const shares: CoveredHost[] = [];
  for (const [host, listeners] of Map.groupBy(gateway.listeners, (listener) => listener.host)) {
    if (host === undefined) continue;
    const sameHost = listeners.toSorted((a, b) => rankOf(a) - rankOf(b));
    const covered = sameHost.flatMap((listener) => {
      const policy = policyOf(listener.name);
      return policy === undefined ? [] : [{ listener, policy }];
    });
    const first = covered[0];
    if (first !== undefined) shares.push({ host, ...first, sameHost });
  }
  return shares.sort((a, b) => (a.host < b.host ? -1 : 1));
}

function rankOf({ protocol }: Listener): number {
  const rank = PRECEDENCE.indexOf(protocol);
  return rank < 0 ? PRECEDENCE.length : rank;
}
