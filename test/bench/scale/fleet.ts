import type { SnapshotRecordInput } from "../../../shared/model/messages/snapshot.ts";
import type { Region } from "../../../shared/model/region.ts";
import { signatureHeaders } from "../../../shared/signature.ts";
import { encodeSnapshot } from "../../../shared/snapshot.ts";

export const NINE: readonly Region[] = ["wnam", "enam", "sam", "weur", "eeur", "apac", "oc", "afr", "me"];
export const FAILURE_THRESHOLD = 1;
/** Regions that have to say unhealthy: more than half of the nine. */
export const QUORUM = 5;
export const INTERVAL_S = 30;
const LEAVES_A_RECORD = 10;

/** Names one leaf of all: which cluster, record and place; addresses are as many as one may want. */
export const leafOf = (record: number, place: number) => `10.${record >> 8}.${record & 255}.${place + 1}`;
const clusterOf = (index: number) => `c${index}`;

export interface Fleet {
  /** By cluster. */
  records: Map<string, SnapshotRecordInput[]>;
  leaves: string[];
}

/** So many endpoints in records of ten, spread over so many clusters. */
export function fleetOf(endpoints: number, clusters: number): Fleet {
  const records = new Map<string, SnapshotRecordInput[]>();
  const leaves: string[] = [];
  for (let index = 0; index * LEAVES_A_RECORD < endpoints; index += 1) {
    const targets = Array.from({ length: LEAVES_A_RECORD }, (_, place) => leafOf(index, place));
    leaves.push(...targets);
    const cluster = clusterOf(index % clusters);
    records.set(cluster, [...(records.get(cluster) ?? []), recordOf(index, targets)]);
  }
  return { records, leaves };
}

function recordOf(index: number, targets: string[]): SnapshotRecordInput {
  const rootHost = `r${index}.example.com`;
  const endpoint = { dnsName: rootHost, recordType: "A" as const, recordTTL: 60, targets };
  const healthCheck = {
    interval: `${INTERVAL_S}s`,
    failureThreshold: FAILURE_THRESHOLD,
    regions: [...NINE],
    quorum: "Majority" as const,
  };
  return {
    namespace: "shop",
    name: `r${index}`,
    spec: { rootHost, endpoints: [endpoint], healthCheck },
    published: [endpoint],
  };
}

/** Registers a cluster and pushes its snapshot, as an agent does; the answer's size and what was refused. */
export async function push(
  edge: { url: string; adminToken: string; agentUrl: string },
  cluster: string,
  records: readonly SnapshotRecordInput[],
): Promise<{ bytes: number; refused: number; ms: number }> {
  const registration = { cluster, hosts: ["*.example.com"], webhookUrl: `${edge.agentUrl}/${cluster}` };
  const { secret } = await json<{ secret: string }>(`${edge.url}/v1/clusters`, {
    method: "POST",
    headers: { authorization: `Bearer ${edge.adminToken}`, "content-type": "application/json" },
    body: JSON.stringify(registration),
  });
  const body = encodeSnapshot({ clusterUid: cluster, instance: "bench" }, records);
  const headers = {
    ...signatureHeaders(secret, `snapshot_${cluster}`, body, Date.now()),
    "content-type": "application/x-ndjson",
  };
  const start = performance.now();
  const path = `${edge.url}/v1/clusters/${cluster}/snapshot`;
  const receipt = await json<Receipt>(path, { method: "PUT", headers, body });
  const refused = receipt.records.filter(({ conditions }) => conditions.some(({ status }) => status === "False"));
  return { bytes: body.length, refused: refused.length, ms: performance.now() - start };
}

type Receipt = { records: { conditions: { status: string }[] }[] };

export async function json<Value>(url: string, init: RequestInit = {}): Promise<Value> {
  const response = await fetch(url, init);
  if (!response.ok)
    throw new Error(`${init.method ?? "GET"} ${url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Value;
}
