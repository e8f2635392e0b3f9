import { digest, hash32 } from "../../shared/hash.ts";
import type { SnapshotRecord } from "../../shared/model/messages/snapshot.ts";
import { formatNumber } from "../../shared/number.ts";
import { type SignedRequest, signedTimeMs } from "../../shared/signature.ts";
import { type DecodedSnapshot, decodeSnapshot } from "../../shared/snapshot.ts";
import { type ProblemCode, problemOf } from "../problems.ts";
import type { Result } from "../rpc.ts";
import type { Settings } from "../settings.ts";
import { noteInstance } from "./agent-instances.ts";
import { headersOf, type RecordHeaders } from "./headers-of.ts";
import { withinLimits } from "./limits.ts";
import type { StoredRecord } from "./records.ts";
import { isShrinkRefused } from "./shrink.ts";
import type { ClusterStore, SnapshotState } from "./store.ts";
import { type ValidatedLine, validateLines } from "./validate-lines.ts";

export type SnapshotRequest = SignedRequest & { ifMatch?: string };
export type TakenSnapshot = { lines: ValidatedLine[]; changed: boolean; newInstance: boolean };

type Header = Extract<DecodedSnapshot, { ok: true }>["header"];
type Coming = { header: Header; lines: ValidatedLine[]; records: StoredRecord[] };
type Refusal = Extract<Result<object>, { ok: false }>;

const MAX_REFUSED_NAMES = 20;
/** Snapshots that are remembered for one second of the sender's clock. */
const MAX_IDS = 100;

/** The entity tag of the snapshot that the edge holds; undefined where it holds none. */
export function snapshotTag(store: ClusterStore): string | undefined {
  const { n } = store.snapshot.get();
  return n === 0 ? undefined : `"${formatNumber({ epoch: store.identity.get().epoch, n })}"`;
}

/**
 * Takes a snapshot whose signature holds: refuses it as a whole, or stores what changed, all in one transaction. Secrets
 * are sealed before, since that has to wait and the rest must not.
 */
export async function takeSnapshot(
  store: ClusterStore,
  settings: Settings,
  request: SnapshotRequest,
  nowMs: number,
): Promise<Result<TakenSnapshot>> {
  const decoded = decodeSnapshot(request.body);
  if (!decoded.ok) return { ok: false, problem: problemOf("SnapshotCutOff", undefined, decoded.errors) };
  const held = store.records.all();
  const partitions = store.partitions.count();
  const allowed = { hosts: store.identity.get().hosts ?? [], ports: settings.ALLOWED_PORTS };
  const judged = validateLines(decoded.lines, allowed);
  const lines = withinLimits(judged, settings.MAX_LEAVES_PER_CLUSTER, (key) => held.has(key));
  const accepted = lines.filter((line) => "record" in line);
  const records = await Promise.all(
    accepted.map(async ({ key, record, spec }) => {
      const headers = await headersOf(record, held.get(key)?.share.headers, settings);
      return stored(key, record, spec, headers, partitions);
    }),
  );
  const coming = { header: decoded.header, lines, records };
  return store.storage.transactionSync(() => commit(store, coming, request, nowMs));
}

function stored(
  key: string,
  record: SnapshotRecord,
  spec: unknown,
  headers: RecordHeaders,
  partitions: number,
): StoredRecord {
  const { namespace, name, uid, generation, published } = record;
  const versions = { ...(uid !== undefined && { uid }), ...(generation !== undefined && { generation }) };
  const share = { namespace, name, ...versions, spec, published, ...headers };
  return { key, partition: hash32(record.spec.rootHost) % partitions, share };
}

function commit(store: ClusterStore, coming: Coming, request: SnapshotRequest, nowMs: number): Result<TakenSnapshot> {
  const { header, lines } = coming;
  const identity = store.identity.get();
  if (identity.clusterUid !== undefined && identity.clusterUid !== header.clusterUid) {
    const detail =
      "The name is bound to another clusterUid. An admin can rebind it (POST /v1/clusters/:cluster/rebind).";
    return { ok: false, problem: problemOf("ClusterIdentityMismatch", detail) };
  }
  const before = store.snapshot.get();
  const newInstance = before.instances[0]?.instance !== header.instance;
  store.snapshot.update({ instances: noteInstance(before.instances, header.instance, nowMs) });
  const plan = planOf(store.records.all(), coming);
  const changed = plan.put.length + plan.remove.length > 0 || before.n === 0;
  const refusal = refusalOf(store, coming, request, changed, plan);
  if (refusal !== undefined) return refusal;
  store.identity.update({ clusterUid: header.clusterUid });
  store.snapshot.update({ pendingShrink: undefined, refused: refusedNames(lines) });
  if (changed) write(store, plan, request, nowMs);
  return { ok: true, lines, changed, newInstance };
}

type Plan = { put: StoredRecord[]; remove: StoredRecord[]; touched: Set<number>; held: number; digest: string };

/**
 * What has to change so that the store holds the snapshot. A refused record keeps its last accepted form; while a line
 * cannot be told whose it is, no record is taken for gone.
 */
function planOf(held: ReadonlyMap<string, StoredRecord>, { lines, records }: Coming): Plan {
  const named = new Set(lines.map(({ key }) => key));
  const put = records.filter((record) => JSON.stringify(held.get(record.key)) !== JSON.stringify(record));
  const remove = named.has(undefined) ? [] : [...held.values()].filter(({ key }) => !named.has(key));
  const before = put.flatMap(({ key }) => held.get(key) ?? []);
  const touched = new Set([...put, ...remove, ...before].map(({ partition }) => partition));
  const contents = records.map(({ share }) => ({ ...share, headers: share.headers?.digest }));
  return { put, remove, touched, held: held.size, digest: digest(JSON.stringify([[...named], contents])) };
}

function refusalOf(
  store: ClusterStore,
  { header, lines }: Coming,
  request: SnapshotRequest,
  changed: boolean,
  plan: Plan,
): Refusal | undefined {
  const before = store.snapshot.get();
  const isKnown = before.ids.includes(request.webhookId ?? "");
  if (isKnown && !changed) return undefined;
  const signedAtMs = signedTimeMs(request) ?? 0;
  if (changed && (isKnown || signedAtMs < before.signedAtMs)) {
    return refuse(store, "SnapshotOutdated", "It was signed before the one that the edge holds, or is a repetition.");
  }
  const tag = tagFault(store, request.ifMatch);
  if (tag !== undefined) return tag;
  const { held, digest: contents } = plan;
  const shrink = { held, coming: lines.length, digest: contents, signedAtMs, pending: before.pendingShrink };
  if (!isShrinkRefused({ ...shrink, allowShrink: header.allowShrink })) return undefined;
  store.snapshot.update({ pendingShrink: { digest: contents, signedAtMs } });
  const detail = `It has ${lines.length} records, the edge holds ${held}. Sent unchanged a second time, it is taken.`;
  return refuse(store, "SnapshotShrunk", detail);
}

/** RFC 9110 §13.1.1. Proxies may have weakened the tag on its way. */
function tagFault(store: ClusterStore, ifMatch: string | undefined): Refusal | undefined {
  const tag = snapshotTag(store);
  if (ifMatch === undefined) {
    const detail = "Repeat with If-Match and the ETag of this answer.";
    return tag === undefined ? undefined : refuse(store, "SnapshotTagMissing", detail);
  }
  const given = ifMatch.split(",").map((one) => one.trim().replace(/^W\//, ""));
  if (tag !== undefined && (given.includes("*") || given.includes(tag))) return undefined;
  const next =
    tag === undefined ? "The edge holds none: repeat without If-Match." : "The ETag of this answer holds now.";
  return refuse(store, "SnapshotOvertaken", next);
}

function refuse(store: ClusterStore, code: ProblemCode, detail: string): Refusal {
  const etag = snapshotTag(store);
  return { ok: false, problem: problemOf(code, detail), ...(etag !== undefined && { etag }) };
}

function write(store: ClusterStore, plan: Plan, request: SnapshotRequest, nowMs: number): void {
  const before = store.snapshot.get();
  const n = before.n + 1;
  for (const record of plan.put) store.records.put(record);
  for (const { key } of plan.remove) store.records.remove(key);
  for (const { partition } of store.partitions.all()) {
    if (before.n === 0 || plan.touched.has(partition)) store.partitions.setShares(partition, n);
  }
  store.snapshot.update({ n, firstAt: before.firstAt ?? nowMs, ...signedBy(before, request) });
}

function signedBy(before: SnapshotState, request: SnapshotRequest): Pick<SnapshotState, "signedAtMs" | "ids"> {
  const signedAtMs = signedTimeMs(request) ?? 0;
  const sameSecond = signedAtMs === before.signedAtMs ? before.ids : [];
  return { signedAtMs, ids: [...sameSecond, request.webhookId ?? ""].slice(-MAX_IDS) };
}

function refusedNames(lines: readonly ValidatedLine[]): string[] {
  const names = lines.flatMap((line) =>
    "refused" in line ? `${line.key ?? `line ${line.line}`} (${line.refused.reason})` : [],
  );
  const more = names.length - MAX_REFUSED_NAMES;
  return more > 0 ? [...names.slice(0, MAX_REFUSED_NAMES), `${more} more`] : names;
}
