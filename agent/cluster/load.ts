import type { KubeClient } from "../kubernetes/client.ts";
import { LEASE, NAMESPACE } from "../kubernetes/kinds.ts";
import { contactRef } from "../objects/lease-object.ts";
import { stateFromObjects } from "../objects/load-state.ts";
import type { Settings } from "../settings-schema.ts";
import type { State } from "../status/state.ts";
import type { Caches } from "./caches.ts";

/** Its uid stands for the cluster: it is made with it and lives as long. */
const SYSTEM_NAMESPACE = { name: "kube-system" };

/** The state that the objects of the cluster hold. Rejects while they cannot be read: nothing known is not nothing there. */
export async function loadState(options: {
  settings: Settings;
  namespace: string;
  client: Pick<KubeClient, "get">;
  caches: Caches;
}): Promise<State> {
  const { settings, namespace, client, caches } = options;
  const lease = await client.get(LEASE, contactRef(settings.cluster, namespace));
  const system = settings.clusterUid ?? (await client.get(NAMESPACE, SYSTEM_NAMESPACE))?.metadata.uid;
  if (system === undefined) throw new Error("The namespace kube-system has no uid: set clusterUid");
  return stateFromObjects({
    records: caches.records.list(),
    probes: caches.probes.list(),
    endpoints: caches.endpoints?.list() ?? [],
    lease,
    clusterUid: system,
    edge: { url: settings.edgeUrl, cluster: settings.cluster },
  });
}
