import type { RecordStatus } from "../../shared/model/status.ts";
import type { CoordinatorState, Root } from "./state.ts";
import { listedStatus } from "./status.ts";

interface Told {
  status: RecordStatus;
  isBare: boolean;
}

/** What clusters were last given of each record, as long as memory lasts. */
const told = new WeakMap<Root, Told>();

/**
 * A record's status for a cluster: the one that was given last while nothing of it has changed but times, latencies and counts beyond
 * the thresholds. So a cluster of thousands of records costs no more than those that did change, and its object writes no others.
 */
export function statusToTell(world: CoordinatorState, root: Root, isBare: boolean, nowMs: number): RecordStatus {
  const held = told.get(root);
  if (held?.isBare === isBare) return held.status;
  const status = listedStatus(world, root, isBare, nowMs);
  if (!isAwaiting(status)) told.set(root, { status, isBare });
  return status;
}

/** Something of the record has changed that its clusters are to be told of. */
export function forgetTold(root: Root): void {
  told.delete(root);
}

/** A region that is awaited reports soon, and nothing else may change with that. */
const isAwaiting = ({ probes }: RecordStatus) =>
  probes.some(({ regions }) => regions.some(({ freshness }) => freshness === "Awaited"));
