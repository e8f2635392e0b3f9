import type { Condition } from "../../../shared/model/condition.ts";
import type { ShareInput, SharesInput } from "../../../shared/model/messages/shares.ts";
import { type RecordSpec, recordKey } from "../../../shared/model/record.ts";
import { isNewer } from "../../../shared/number.ts";
import type { SharesReceipt } from "../../rpc.ts";
import { commit } from "../commit.ts";
import { updateBootstrapGate } from "../deliver/bootstrap-gate.ts";
import { decisionsFor } from "../hand-over.ts";
import { type Cluster, type CoordinatorState, type Root, recordOf, type Share } from "../state.ts";
import { addEvent } from "../store/events.ts";
import { writeMeta } from "../store/meta.ts";
import { storeCluster, storeShare } from "../store/persist.ts";
import { senderOf } from "./clusters.ts";
import { readPublished, readShare } from "./read-share.ts";
import { reconcile } from "./reconcile.ts";
import { markChanged, rootFor } from "./roots.ts";

/**
 * Applies a cluster's shares, which are complete, if they are newer. Returns the conditions of each share and the
 * decisions.
 */
export function putShares(state: CoordinatorState, input: SharesInput, nowMs: number): SharesReceipt {
  const cluster = senderOf(state, input.cluster, input.number, nowMs);
  if (cluster === undefined) return { number: input.number, records: [] };
  const refused = isNewer(input.number, cluster.sharesNumber) ? applyShares(state, cluster, input, nowMs) : [];
  updateBootstrapGate(state, nowMs);
  // The response must carry the number of the decisions that it contains.
  commit(state);
  const decisions = decisionsFor(state, cluster, nowMs);
  const held = [...cluster.shares.values()].map(({ record, conditions }) => ({ record, conditions }));
  return {
    number: cluster.sharesNumber,
    records: [...held, ...refused].sort((a, b) => (a.record < b.record ? -1 : 1)),
    ...(decisions !== undefined && { decisions }),
  };
}

type Refused = { record: string; conditions: Condition[] };

/** The context of one call: `roots` collects the records whose shares have changed. */
type SharesUpdate = { state: CoordinatorState; cluster: Cluster; roots: Set<Root>; nowMs: number };

/** Returns the refused shares that have no accepted form to fall back to. */
function applyShares(state: CoordinatorState, cluster: Cluster, input: SharesInput, nowMs: number): Refused[] {
  const taking: SharesUpdate = { state, cluster, roots: new Set(), nowMs };
  const named = new Set(input.shares.map(recordKey));
  for (const share of [...cluster.shares.values()]) {
    if (!named.has(share.record)) removeShare(taking, share);
  }
  const refused = input.shares.flatMap((share) => applyShare(taking, share));
  cluster.sharesNumber = input.number;
  delete cluster.damagedAt;
  storeCluster(state, cluster);
  reconcile(state, taking.roots, nowMs);
  for (const root of taking.roots) markChanged(state, root);
  if (taking.roots.size > 0) state.changedClusters.add(cluster);
  return refused;
}

function applyShare(taking: SharesUpdate, input: ShareInput): Refused[] {
  const read = readShare(input);
  const before = taking.cluster.shares.get(recordKey(input));
  if ("spec" in read) acceptShare(taking, input, read.spec, before);
  else if (before !== undefined) refuseShare(taking, before, read.refusal);
  else return [{ record: recordKey(input), conditions: [read.refusal] }];
  return [];
}

/** A refused share is not a removed share: its last accepted form stays in force. */
function refuseShare({ state, cluster, roots, nowMs }: SharesUpdate, share: Share, refusal: Condition): void {
  if (JSON.stringify(share.refusal) === JSON.stringify(refusal)) return;
  share.refusal = refusal;
  storeShare(state, share);
  roots.add(rootFor(state, share));
  const message = `${share.record}: ${refusal.message}`;
  addEvent(state.store.sql, { at: nowMs, type: "RecordRefused", cluster: cluster.name, message });
}

function acceptShare(taking: SharesUpdate, input: ShareInput, spec: RecordSpec, before: Share | undefined): void {
  const { state, cluster } = taking;
  const after = acceptedForm(taking, input, spec, before);
  if (before !== undefined && isSame(before, after)) return;
  if (before !== undefined) detachFromRoot(taking, before);
  cluster.shares.set(after.record, after);
  storeShare(state, after);
  const root = rootFor(state, after);
  root.shares.push(after);
  taking.roots.add(root);
  if (before?.spec.rootHost === after.spec.rootHost) return;
  // Only for a share that is new here. The edge itself knows best what is published for other records.
  const published = readPublished(input);
  root.claimed.push(...published);
  cluster.hasPublished ||= published.length > 0;
}

/** A share keeps its seniority as long as it is the same object under the same root host. */
function acceptedForm(
  { state, cluster }: SharesUpdate,
  input: ShareInput,
  spec: RecordSpec,
  before: Share | undefined,
): Share {
  const isSameObject = before !== undefined && before.uid === input.uid && before.spec.rootHost === spec.rootHost;
  const headers = headersOf(input, before);
  return {
    cluster: cluster.name,
    record: recordKey(input),
    ...(input.uid !== undefined && { uid: input.uid }),
    ...(input.generation !== undefined && { generation: input.generation }),
    specInput: input.spec,
    spec,
    ...(headers !== undefined && { headers }),
    ...(input.resting !== undefined && { resting: input.resting }),
    seniority: isSameObject ? before.seniority : nextSeniority(state),
    conditions: before?.conditions ?? [],
  };
}

/**
 * A secret looks different each time it is sealed. If neither the secret nor its key has changed, the headers stay as
 * they were.
 */
function headersOf(input: ShareInput, before: Share | undefined): Share["headers"] {
  const isSameSecret =
    before?.headers?.digest === input.headers?.digest && before?.headers?.sealed.keyId === input.headers?.sealed.keyId;
  return isSameSecret ? before?.headers : input.headers;
}

function nextSeniority(state: CoordinatorState): number {
  state.seniority += 1;
  writeMeta(state.store.sql, "seniority", state.seniority);
  return state.seniority;
}

function isSame(a: Share, b: Share): boolean {
  const gist = ({ uid, generation, spec, headers, resting, refusal }: Share) =>
    JSON.stringify([uid, generation, spec, headers, resting, refusal]);
  return gist(a) === gist(b);
}

function removeShare(taking: SharesUpdate, share: Share): void {
  taking.cluster.shares.delete(share.record);
  taking.state.store.shares.delete(recordOf(share));
  detachFromRoot(taking, share);
}

function detachFromRoot({ state, roots }: SharesUpdate, share: Share): void {
  const root = rootFor(state, share);
  root.shares = root.shares.filter((other) => other !== share);
  roots.add(root);
}
