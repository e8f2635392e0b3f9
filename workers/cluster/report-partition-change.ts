import type { Coordinators } from "./coordinators.ts";
import type { ClusterStore } from "./store.ts";
import { partitionsChanged } from "./view.ts";

/** Logged once for each value of the setting, because the log is bounded and the condition stays visible. */
export async function reportPartitionChange({
  store,
  coordinators,
}: {
  store: ClusterStore;
  coordinators: Coordinators;
}): Promise<void> {
  const wrong = partitionsChanged(store);
  const told = wrong && store.partitions.setting;
  const { cluster = "", toldPartitions } = store.identity.get();
  if (told === toldPartitions) return;
  store.identity.update({ toldPartitions: told });
  if (wrong === undefined) return;
  console.error(`Cluster ${cluster}: ${wrong.message}`);
  await coordinators.note([{ type: "PartitionsChanged", cluster, message: wrong.message }]);
}
