import { DNS_RECORD, type Kind } from "../kubernetes/kinds.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import { FINALIZER, hasFinalizer } from "./finalizer.ts";

const FIELD_MANAGER = "vedette-finalizer";

/** What of the API client the finalizer needs. It throws `KubeError`s. */
export interface FinalizerClient {
  apply(kind: Kind, object: KubeObject, options: { fieldManager: string; force?: boolean }): Promise<KubeObject>;
  replace(kind: Kind, object: KubeObject): Promise<KubeObject>;
}

/** Sets our finalizer. @returns the record as it is now; @throws KubeError 409 where it is gone or another by its uid */
export function claim(client: FinalizerClient, record: KubeObject): Promise<KubeObject> {
  return apply(client, record, [FINALIZER]);
}

/**
 * Takes our finalizer away. Where somebody else has applied it too (a manifest that was exported from the cluster names it),
 * server-side apply leaves it there: then the record is written without it.
 */
export async function release(client: FinalizerClient, record: KubeObject): Promise<void> {
  const after = await apply(client, record, []);
  if (!hasFinalizer(after.metadata)) return;
  const finalizers = (after.metadata.finalizers ?? []).filter((one) => one !== FINALIZER);
  await client.replace(DNS_RECORD, { ...after, metadata: { ...after.metadata, finalizers } });
}

function apply(client: FinalizerClient, { metadata }: KubeObject, finalizers: string[]): Promise<KubeObject> {
  const { name, namespace, uid } = metadata;
  const { apiVersion, kind } = DNS_RECORD;
  const same = { name, ...(namespace !== undefined && { namespace }), ...(uid !== undefined && { uid }) };
  const object = { apiVersion, kind, metadata: { ...same, ...(finalizers.length > 0 && { finalizers }) } };
  return client.apply(DNS_RECORD, object, { fieldManager: FIELD_MANAGER, force: true });
}
