import type { KubeClient } from "../../../agent/kubernetes/client.ts";
import { DNS_ENDPOINT, DNS_HEALTH_CHECK_PROBE, DNS_RECORD } from "../../../agent/kubernetes/kinds.ts";
import type { ProbeObjectStatus, ProbeSpec } from "../../../shared/model/dns-health-check-probe.ts";
import type { DnsRecordStatus } from "../../../shared/model/dns-record.ts";
import type { Endpoint } from "../../../shared/model/endpoint.ts";
import type { ClusterWorld } from "./world.ts";

/** A record as each place shows it that a person or a program may ask. Lists are words in order of their text. */
export interface Surfaces {
  /** By the edge: verdicts by leaf, and the leaves that are to be in DNS. */
  edge: { verdicts: Record<string, string>; published: string };
  /** By its probe objects: `healthy` and why it is in DNS or not, by leaf. */
  probes: Record<string, string>;
  /** Status, reason and message of its conditions. */
  conditions: { Healthy: string; Ready: string };
  /** In its status: what is in DNS, and what the columns of `kubectl get` say. */
  published: string;
  summary: string;
  /** Targets in its DNSEndpoint; `none` without one. */
  endpoint: string;
  /** `vedette_probe_healthy` of the leader, by leaf. */
  metrics: Record<string, number>;
}

export interface ProbeObject {
  metadata: { name: string; generation?: number };
  spec: ProbeSpec;
  status: ProbeObjectStatus;
}

const inOrder = (words: readonly string[]) => words.toSorted().join(" ");
const targetsOf = (endpoints: readonly Endpoint[] = []) => inOrder(endpoints.flatMap(({ targets }) => targets));

/** Reads what the record's objects, the edge, and the first replica's metrics say now; parts that are missing are empty. */
export async function surfacesOf(
  world: ClusterWorld,
  client: KubeClient,
  ref: { namespace: string; name: string },
): Promise<Surfaces> {
  const record = await client.get(DNS_RECORD, ref);
  const { rootHost = "" } = (record?.spec ?? {}) as { rootHost?: string };
  const status = (record?.status ?? { conditions: [] }) as DnsRecordStatus;
  const edge = await world.edge.record(rootHost);
  const endpoint = (await client.get(DNS_ENDPOINT, ref))?.spec as { endpoints?: Endpoint[] } | undefined;
  const probes = await probesOf(client, ref);
  const samples = (await world.replicas[0]!.metrics()).filter(
    ({ name, labels }) => name === "vedette_probe_healthy" && labels.record === ref.name,
  );
  const condition = (type: string) => {
    const found = status.conditions.find((one) => one.type === type);
    return found === undefined ? "" : `${found.status} ${found.reason}: ${found.message}`.replace(/: $/, "");
  };
  const leaves = edge?.leaves.filter((leaf) => leaf.published).map(({ leaf }) => leaf) ?? [];
  return {
    edge: {
      verdicts: sorted(edge?.probes.map(({ leaf, verdict }) => [leaf, verdict])),
      published: inOrder(leaves),
    },
    probes: sorted(
      probes.map(({ spec, status: { healthy, publishedReason } }) => [spec.address, `${healthy} ${publishedReason}`]),
    ),
    conditions: { Healthy: condition("Healthy"), Ready: condition("Ready") },
    published: targetsOf(status.published),
    summary: [status.summary?.published, status.summary?.unhealthy].filter(Boolean).join(" "),
    endpoint: endpoint === undefined ? "none" : targetsOf(endpoint.endpoints),
    metrics: sorted(samples.map(({ labels, value }) => [labels.address ?? "", value])),
  };
}

/** The probe objects of a record, by address. */
export async function probesOf(
  client: KubeClient,
  { namespace, name }: { namespace: string; name: string },
): Promise<ProbeObject[]> {
  const { items } = await client.list(DNS_HEALTH_CHECK_PROBE, {
    namespace,
    labelSelector: `vedette.dev/record=${name}`,
  });
  const probes = items.filter(({ status }) => status !== undefined) as unknown as ProbeObject[];
  return probes.toSorted((a, b) => (a.spec.address < b.spec.address ? -1 : 1));
}

/** What all surfaces say together when they agree; a leaf that is not unhealthy is healthy. */
export interface Agreed {
  leaves: readonly string[];
  unhealthy?: readonly string[];
  /** Default: the healthy ones. */
  published?: readonly string[];
  /** Why unhealthy leaves that are published all the same are. */
  kept?: string;
}

/** The surfaces of a record of which everything agrees. */
export function agreed({ leaves, unhealthy = [], published, kept = "KeptLast" }: Agreed): Surfaces {
  const isIll = (leaf: string) => unhealthy.includes(leaf);
  const inDns = published ?? leaves.filter((leaf) => !isIll(leaf));
  const each = <Value>(say: (leaf: string) => Value) => sorted(leaves.map((leaf) => [leaf, say(leaf)]));
  const reasonOf = (leaf: string) => (isIll(leaf) ? (inDns.includes(leaf) ? kept : "UnhealthyWithheld") : "Healthy");
  const ill = unhealthy.toSorted().join(", ");
  const degree = unhealthy.length === leaves.length ? "Unhealthy" : "PartiallyHealthy";
  return {
    edge: { verdicts: each((leaf) => (isIll(leaf) ? "Unhealthy" : "Healthy")), published: inOrder(inDns) },
    probes: each((leaf) => `${!isIll(leaf)} ${reasonOf(leaf)}`),
    conditions: {
      Healthy: unhealthy.length === 0 ? "True Healthy" : `False ${degree}: Unhealthy: ${ill}.`,
      Ready: inDns.length > 0 ? "True Published" : "False NothingPublished: No leaf was proven healthy yet.",
    },
    published: inOrder(inDns),
    summary: [`${inDns.length}/${leaves.length}`, ill].filter(Boolean).join(" "),
    endpoint: inDns.length > 0 ? inOrder(inDns) : "none",
    metrics: each((leaf) => (isIll(leaf) ? 0 : 1)),
  };
}

const sorted = <Value>(entries: readonly (readonly [string, Value])[] = []): Record<string, Value> =>
  Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
