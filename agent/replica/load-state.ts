import type { KubeClient } from "../kubernetes/client.ts";
import { LEASE, NAMESPACE } from "../kubernetes/kinds.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import type { Settings } from "../runtime/settings-schema.ts";
import { kubernetesRecords } from "../sources/api-records.ts";
import type { OwnRecord } from "../sources/manifest-file.ts";
import { contactRef } from "../status/lease-object.ts";
import { withNewerDecisions } from "../status/restore-newer-decisions.ts";
import { restoreState } from "../status/restore-state.ts";
import type { State } from "../status/state.ts";
import type { Informers } from "./informers.ts";
import type { PendingDecisions } from "./pending-decisions.ts";

/** Its uid stands for the cluster: it is made with it and lives as long. */
const SYSTEM_NAMESPACE = { name: "kube-system" };

interface Holding {
  settings: Settings;
  caches: Informers;
  unstored: PendingDecisions;
}

/** The state that a leader begins with, as the objects of the cluster hold it. Rejects while they cannot be read: nothing known is not nothing there. */
export async function loadState(
  options: Holding & { namespace: string; client: Pick<KubeClient, "get"> },
): Promise<State> {
  const { settings, namespace, client, caches } = options;
  const lease = await client.get(LEASE, contactRef(settings.cluster, namespace));
  const system = settings.clusterUid ?? (await client.get(NAMESPACE, SYSTEM_NAMESPACE))?.metadata.uid;
  if (system === undefined) throw new Error("The namespace kube-system has no uid: set clusterUid");
  const [records, endpoints] = [caches.records.list(), caches.endpoints?.list() ?? []];
  return withNewerDecisions(heldState(options, lease, system), { records, endpoints, nowMs: Date.now() });
}

/** What the caches hold of the state, with what the edge has decided since and nobody could store. */
export function heldState(holding: Holding, lease?: KubeObject, clusterUid?: string): State {
  const { caches, unstored } = holding;
  const state = storedState(holding, lease, clusterUid);
  return unstored.isEmpty ? state : unstored.over(state, standing(caches.records.list()));
}

/** What the caches hold of the state. */
export function storedState(
  { settings, caches }: Omit<Holding, "unstored">,
  lease?: KubeObject,
  clusterUid = "",
): State {
  return restoreState({
    records: caches.records.list(),
    probes: caches.probes.list(),
    endpoints: caches.endpoints?.list() ?? [],
    lease,
    clusterUid,
    edge: { url: settings.edgeUrl, cluster: settings.cluster },
  });
}

function standing(objects: readonly KubeObject[]): OwnRecord[] {
  const isMember = ({ metadata }: KubeObject) => metadata.deletionTimestamp === undefined;
  const nothing = () => undefined;
  return kubernetesRecords({ records: objects, isMember, secretAt: nothing, secretError: nothing, before: [] }).records;
}
