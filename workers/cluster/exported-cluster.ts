import type { ExportedCluster } from "../../shared/model/export.ts";
import { newSecret } from "./new-secret.ts";
import { type HeaderKeys, openSecrets, sealSecrets } from "./sealed.ts";
import type { ClusterStore, Identity } from "./store.ts";

/** Exports what another edge needs to take over the cluster. */
export async function exportOf(store: ClusterStore, keys: HeaderKeys): Promise<ExportedCluster> {
  const { cluster = "", hosts = [], webhookUrl, clusterUid, secrets } = store.identity.get();
  const sealed = await sealSecrets(cluster, secrets, keys);
  return {
    kind: "Cluster",
    cluster,
    hosts,
    ...(webhookUrl !== undefined && { webhookUrl }),
    ...(clusterUid !== undefined && { clusterUid }),
    ...(sealed !== undefined && { secrets: sealed }),
  };
}

/** Makes the identity of an imported cluster. If its secrets cannot be opened, it gets a new one, which is returned. */
export async function identityOf(
  { cluster, hosts, webhookUrl, clusterUid, secrets: sealed }: ExportedCluster,
  keys: HeaderKeys,
): Promise<{ identity: Omit<Identity, "epoch">; secret?: string }> {
  const identity = {
    cluster,
    hosts,
    ...(webhookUrl !== undefined && { webhookUrl }),
    ...(clusterUid !== undefined && { clusterUid }),
  };
  const secrets = sealed && (await openSecrets(cluster, sealed, keys));
  if (secrets !== undefined) return { identity: { ...identity, secrets } };
  const secret = newSecret();
  return { identity: { ...identity, secrets: [secret] }, secret };
}
