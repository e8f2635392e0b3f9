import { type Clock, clockIn } from "../../../shared/explain/clock.ts";
import { explainLeaf } from "../../../shared/explain/leaf.ts";
import type { LeafDecision, LeafReason } from "../../../shared/model/status.ts";
import type { Trouble, TroubleKind } from "../../../shared/model/trouble.ts";
import { stateOf } from "../../../shared/record/summary.ts";
import { errorMessage } from "../../retry.ts";
import type { ClusterContact } from "../../rpc.ts";
import type { Cluster, CoordinatorState, Root } from "../state.ts";
import { recordStatus } from "../status.ts";
import { readMeta, writeMeta } from "../store/meta.ts";
import { storeCluster } from "../store/persist.ts";
import type { RecordRow } from "../store/tables.ts";
import { mayDeliver } from "./bootstrap-gate.ts";
import { quotaAlerts } from "./quota-alerts.ts";

/*
 * Alerts for the notifier. The list is always complete. It is sent when an alert begins or ends, and with each
 * heartbeat while there are alerts, so that a lost list is repaired. An empty list is sent until the notifier
 * confirms it.
 */

/** Beyond this limit the newest alerts are left out, so that no alert that was sent before seems to have ended. */
const MAX_ALERTS = 1_000;
const MAX_SUMMARY_CHARACTERS = 1_000;
/** A long list takes a quarter of a second to build, and during an outage each report changes it. */
const REST_MS = 2_000;
/** Room for `, and 9999 more`. */
const MORE_CHARACTERS = 20;

/** All alerts, the oldest first. */
export function alertsOf(state: CoordinatorState, nowMs: number): Trouble[] {
  const clock = clockIn(nowMs, "UTC");
  const all = [...state.roots.values()].flatMap((root) => recordAlert(root) ?? []);
  const alerts = [...all, ...regionAlerts(state, clock), ...clusterAlerts(state, clock), ...quotaAlerts(state, nowMs)];
  alerts.sort((a, b) => a.since - b.since || (a.key < b.key ? -1 : 1));
  return alerts.slice(0, MAX_ALERTS).map((alert) => {
    const { root, ...rest } = { root: undefined, ...alert };
    return root === undefined ? rest : { ...rest, summary: summarize(state, root, clock, nowMs) };
  });
}

/** The alert of a record without its summary, which is slow to build: only alerts that are sent get one. */
function recordAlert(root: Root): (Trouble & { root: Root }) | undefined {
  const { decision, rootHost } = root;
  const kind = decision && kindOf(decision.leaves);
  if (decision === undefined || kind === undefined) return undefined;
  const since = decision.trouble?.kind === kind ? decision.trouble.since : decision.decidedAt;
  return { key: `record/${rootHost}`, kind, since, summary: "", root };
}

function kindOf(leaves: LeafDecision[]): TroubleKind | undefined {
  const recordState = stateOf({ rootHost: "", shares: [], leaves, probes: [], advisories: [], decidedAt: 0 });
  if (recordState === "Critical") return "RecordCritical";
  return recordState === "Degraded" ? "RecordDegraded" : undefined;
}

const WRONG: ReadonlySet<LeafReason> = new Set([
  "UnhealthyWithheld",
  "KeptForMinPublished",
  "KeptLast",
  "KeptForFamily",
]);

/** A sentence for each leaf in an abnormal state, as many as fit. */
function summarize(state: CoordinatorState, root: Root, clock: Clock, nowMs: number): string {
  const record = recordStatus(state, root, nowMs);
  const wrong = record.leaves.filter(({ reason }) => WRONG.has(reason));
  const sentences = wrong.map(({ leaf }) => explainLeaf(record, leaf, clock));
  const whole = sentences.join(". ");
  if (whole.length <= MAX_SUMMARY_CHARACTERS) return whole;
  let shown = sentences.length - 1;
  while (shown > 1 && sentences.slice(0, shown).join(". ").length > MAX_SUMMARY_CHARACTERS - MORE_CHARACTERS)
    shown -= 1;
  const text = sentences
    .slice(0, shown)
    .join(". ")
    .slice(0, MAX_SUMMARY_CHARACTERS - MORE_CHARACTERS);
  return `${text}, and ${sentences.length - shown} more`;
}

function regionAlerts({ silentRegions }: CoordinatorState, clock: Clock): Trouble[] {
  return [...silentRegions].map(([region, since]) => ({
    key: `region/${region}`,
    kind: "RegionSilent",
    since,
    summary: `no prober in ${region} reports since ${clock(since)}`,
  }));
}

/** Each cluster reports its state to all partitions, so only the first partition raises the alert. */
function clusterAlerts({ clusters, partition }: CoordinatorState, clock: Clock): Trouble[] {
  if (partition !== 0) return [];
  return [...clusters.values()].flatMap(({ name, removedEpoch, unreachable }): Trouble[] => {
    if (removedEpoch !== undefined || unreachable === undefined) return [];
    const { since, failure } = unreachable;
    const summary = `deliveries to ${name} fail since ${clock(since)}: ${failure}`.slice(0, MAX_SUMMARY_CHARACTERS);
    return [{ key: `cluster/${name}`, kind: "ClusterUnreachable", since, summary }];
  });
}

/** The alert to store with a decision. Its start is kept through all decisions of the same kind. */
export function alertOfDecision(
  state: CoordinatorState,
  before: RecordRow | undefined,
  leaves: LeafDecision[],
  nowMs: number,
): Pick<RecordRow, "trouble"> {
  const kind = kindOf(leaves);
  if (kind !== before?.trouble?.kind) state.alerts.isChanged = true;
  if (kind === undefined) return {};
  return { trouble: { kind, since: before?.trouble?.kind === kind ? before.trouble.since : nowMs } };
}

/** Records whether the agent of a cluster is reachable. */
export function noteReachability(
  state: CoordinatorState,
  cluster: Cluster,
  unreachable: ClusterContact["unreachable"],
): void {
  if (cluster.unreachable?.since === unreachable?.since) return;
  state.alerts.isChanged = true;
  if (unreachable === undefined) delete cluster.unreachable;
  else cluster.unreachable = unreachable;
  storeCluster(state, cluster);
}

/** Sends the alerts soon if the current call has begun or ended one. */
export function sendAlertsIfChanged(state: CoordinatorState): void {
  if (state.alerts.isChanged && state.dependencies.troubles !== undefined)
    state.dependencies.soon(() => sendAlerts(state));
}

/**
 * Sends the alerts, or the empty list until it is confirmed. One call runs at a time: changes in the meantime are
 * sent after it, and after a pause. Nothing is sent while shares are missing, since many alerts would seem to have
 * ended.
 */
export async function sendAlerts(state: CoordinatorState): Promise<void> {
  const { dependencies, alerts } = state;
  if (dependencies.troubles === undefined || alerts.isSending) return;
  alerts.isSending = true;
  try {
    await sendOnce(state, dependencies.troubles);
    while (alerts.isChanged && !state.isAbandoned) {
      await dependencies.rest(REST_MS);
      await sendOnce(state, dependencies.troubles);
    }
  } catch (error) {
    console.warn({ message: "cannot reach the notifier", error: errorMessage(error) });
  } finally {
    alerts.isSending = false;
  }
}

async function sendOnce(
  state: CoordinatorState,
  tell: NonNullable<CoordinatorState["dependencies"]["troubles"]>,
): Promise<void> {
  const nowMs = state.dependencies.now();
  const { sql } = state.store;
  state.alerts.isChanged = false;
  if (state.isAbandoned || !mayDeliver(state, nowMs)) return;
  const alerts = alertsOf(state, nowMs);
  const isKnown = readMeta(sql, "untroubled") === 1;
  if (alerts.length === 0 && isKnown) return;
  if (isKnown) writeMeta(sql, "untroubled", 0);
  const at = Math.max(nowMs, state.alerts.at + 1);
  const answer = await tell({ partition: state.partition, at, troubles: alerts });
  state.alerts.at = Math.max(at, answer.at);
  if (state.isAbandoned) return;
  // The notifier has a later list, from before the clock here was corrected. It is sent again with a later time.
  if (answer.at > at) state.alerts.isChanged = true;
  else if (alerts.length === 0) writeMeta(sql, "untroubled", 1);
}
