import type { ClusterView } from "../../shared/model/cluster.ts";
import type { Condition } from "../../shared/model/condition.ts";
import { formatNumber } from "../../shared/number.ts";
import { duplicateAgent } from "./agent-instances.ts";
import { decidedNumber } from "./delivery.ts";
import type { ClusterStore } from "./store.ts";

/** The cluster as an admin sees it: no secret is in it. */
export function viewOf(store: ClusterStore, nowMs: number): ClusterView {
  const { cluster = "", hosts = [], webhookUrl, clusterUid, epoch } = store.identity.get();
  const { acknowledged, failures, lastFailure } = store.outbox.get();
  const { snapshotAt, deliveryAt } = store.seen.get();
  return {
    cluster,
    hosts,
    ...(webhookUrl !== undefined && { webhookUrl }),
    ...(clusterUid !== undefined && { clusterUid }),
    registeredAt: epoch,
    records: store.records.count(),
    ...(snapshotAt !== undefined && { lastSnapshotAt: snapshotAt }),
    ...(deliveryAt !== undefined && { lastDeliveryAt: deliveryAt }),
    decided: formatNumber(decidedNumber(store)),
    acknowledged: formatNumber(acknowledged),
    failures,
    ...(lastFailure !== undefined && { lastFailure }),
    conditions: clusterConditions(store, nowMs),
  };
}

/**
 * The number of partitions at install stays in use. A new number would place records in two partitions, or remove them
 * from one before the other decides. The clusters of one record would also switch at different times.
 */
export function partitionsChanged({ partitions }: ClusterStore): Condition | undefined {
  const count = partitions.count();
  if (partitions.setting === count) return undefined;
  const message = `PARTITIONS is ${partitions.setting}, but was ${count} at install, and cannot be changed: the cluster goes on with ${count}; set PARTITIONS back to ${count}`;
  return { type: "SettingsAccepted", status: "False", reason: "PartitionsChanged", message };
}

/** What is wrong with the cluster as a whole; empty where nothing is. */
export function clusterConditions(store: ClusterStore, nowMs: number): Condition[] {
  const { instances, refused } = store.snapshot.get();
  const { failures, lastFailure = "" } = store.outbox.get();
  const conditions: (Condition | undefined)[] = [
    partitionsChanged(store),
    duplicateAgent(instances, nowMs),
    refused.length > 0
      ? { type: "RecordsAccepted", status: "False", reason: "RecordsRefused", message: refused.join(", ") }
      : undefined,
    failures > 0
      ? {
          type: "Delivered",
          status: "False",
          reason: "DeliveryFailed",
          message: `${failures} in a row: ${lastFailure}`,
        }
      : undefined,
  ];
  return conditions.filter((condition) => condition !== undefined);
}
