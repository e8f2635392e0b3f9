import type { DecisionChanges, Decisions } from "../../shared/model/messages/shares.ts";
import type { RecordStatus } from "../../shared/model/status.ts";
import { errorMessage } from "../retry.ts";
import type { DecisionsAnswer } from "../rpc.ts";
import { mayDeliver } from "./deliver/bootstrap-gate.ts";
import type { Dependencies } from "./dependencies.ts";
import type { Cluster, CoordinatorState, Root } from "./state.ts";
import { recordStatuses } from "./status.ts";
import { storeCluster } from "./store/persist.ts";
import { changesSinceTaken, forgetTaken, noteGiven, noteTaken } from "./taken.ts";
import { statusToTell } from "./told.ts";

/**
 * After each hand-over the next to the same cluster waits for so many times as long as it took: while much changes, each report with
 * something else, the object has most of its time for reports. What is cheap, or rare, never waits for anything that can be felt.
 */
const REST_TIMES = 3;
const MAX_REST_MS = 1_000;

/** All records that the cluster has a share in, whole, to be given to it, or nothing while nothing may be handed out. */
export function decisionsFor(world: CoordinatorState, cluster: Cluster, nowMs: number): Decisions | undefined {
  if (!mayDeliver(world, nowMs)) return undefined;
  const decisions: Decisions = {
    version: 1,
    cluster: cluster.name,
    partition: world.partition,
    number: { epoch: world.epoch, n: cluster.decided },
    records: recordStatuses(world, rootsOf(world, cluster), nowMs, statusToTell),
  };
  noteGiven(cluster, decisions);
  return decisions;
}

/** The same records as they stand just now, with times and counts that nobody is told of; none while nothing may be handed out. */
export function viewFor(world: CoordinatorState, cluster: Cluster, nowMs: number): RecordStatus[] {
  return mayDeliver(world, nowMs) ? recordStatuses(world, rootsOf(world, cluster), nowMs) : [];
}

function rootsOf(world: CoordinatorState, cluster: Cluster): Set<Root> {
  return new Set([...cluster.shares.values()].flatMap(({ spec }) => world.roots.get(spec.rootHost) ?? []));
}

/** Hands every cluster what it has not yet got. One that cannot be reached, or hangs, holds up none of the others. */
export async function handOver(world: CoordinatorState): Promise<void> {
  const behind = [...world.clusters.values()].filter((cluster) => isBehind(cluster) && !world.delivering.has(cluster));
  await Promise.all(behind.map((cluster) => handTo(world, cluster)));
}

async function handTo(world: CoordinatorState, cluster: Cluster): Promise<void> {
  world.delivering.add(cluster);
  try {
    while (isBehind(cluster) && !world.isAbandoned) {
      await rest(world, cluster);
      const startedAt = world.dependencies.now();
      const decisions = world.isAbandoned ? undefined : decisionsFor(world, cluster, startedAt);
      if (decisions === undefined) return;
      if (!(await isHanded(world, cluster, decisions))) continue;
      const endedAt = world.dependencies.now();
      restsUntil.set(cluster, endedAt + Math.min(MAX_REST_MS, REST_TIMES * (endedAt - startedAt)));
      noteHanded(world, cluster, decisions.number.n);
    }
  } catch (error) {
    console.warn({ message: "a cluster could not be reached", cluster: cluster.name, error: errorMessage(error) });
  } finally {
    world.delivering.delete(cluster);
  }
}

/**
 * Hands over what has changed since what the cluster's object is known to have, or all. Where it cannot take the former, be it that
 * its release knows no such call, all of it is next.
 */
async function isHanded({ dependencies }: CoordinatorState, cluster: Cluster, decisions: Decisions): Promise<boolean> {
  const changes = changesSinceTaken(cluster, decisions);
  const answer = changes === undefined ? await dependencies.decided(decisions) : await inPart(dependencies, changes);
  if (answer === "Taken") noteTaken(cluster, decisions);
  if (changes === undefined || answer === "Taken" || answer === "Held") return true;
  forgetTaken(cluster);
  return false;
}

async function inPart(dependencies: Dependencies, changes: DecisionChanges): Promise<DecisionsAnswer | undefined> {
  try {
    return await dependencies.decidedInPart(changes);
  } catch (error) {
    const message = "a cluster could not take what has changed: it is handed everything";
    console.warn({ message, cluster: changes.cluster, error: errorMessage(error) });
    return undefined;
  }
}

/** Unix ms. Memory only: a start hands over at once. */
const restsUntil = new WeakMap<Cluster, number>();

async function rest({ dependencies }: CoordinatorState, cluster: Cluster): Promise<void> {
  const restMs = Math.min(MAX_REST_MS, (restsUntil.get(cluster) ?? 0) - dependencies.now());
  if (restMs > 0) await dependencies.rest(restMs);
}

/** Notes up to which number the cluster has its decisions; also where they went in an answer. */
export function noteHanded(world: CoordinatorState, cluster: Cluster, n: number): void {
  if (world.isAbandoned || n <= cluster.handed) return;
  cluster.handed = n;
  storeCluster(world, cluster);
}

const isBehind = ({ removedEpoch, handed, decided }: Cluster) => removedEpoch === undefined && handed < decided;
