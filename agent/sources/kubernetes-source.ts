import { z } from "zod";
import type { KubeObject } from "../kubernetes/object.ts";
import type { Informers } from "../replica/informers.ts";
import { type KubernetesRecords, kubernetesRecords } from "./api-records.ts";
import type { HeaderSecrets } from "./header-secrets.ts";
import type { OwnRecord } from "./manifest-file.ts";

const naming = z.looseObject({
  healthCheck: z.looseObject({ additionalHeadersRef: z.looseObject({ name: z.string() }) }),
});

export interface SourceOptions {
  caches: Pick<Informers, "records" | "isSynced">;
  secrets: HeaderSecrets;
  /** Whether a record takes part: see the life cycle of records. */
  isMember: (record: KubeObject) => boolean;
}

/** The records of this cluster from the API, with the header Secrets that they name. */
export class KubernetesSource {
  readonly #options: SourceOptions;
  #records: readonly OwnRecord[] = [];

  constructor(options: SourceOptions) {
    this.#options = options;
  }

  /**
   * The current records. Undefined until everything was read once, and while the cluster does not serve the kind.
   * Deleting a definition deletes its records first, so without the definition they are invisible and not gone.
   */
  read(): KubernetesRecords | undefined {
    const { caches, secrets, isMember } = this.#options;
    if (!caches.isSynced || caches.records.isUnknown) return undefined;
    const objects = caches.records.list();
    secrets.want(secretsNamedBy(objects));
    if (!secrets.isSynced) return undefined;
    const read = kubernetesRecords({
      records: objects,
      isMember,
      secretAt: (key) => secrets.secretAt(key),
      secretError: (key) => secrets.troubleOf(key),
      before: this.#records,
    });
    this.#records = read.records;
    return read;
  }
}

function secretsNamedBy(records: readonly KubeObject[]): Set<string> {
  const keys = records.flatMap(({ spec, metadata: { namespace, deletionTimestamp } }) => {
    const named = naming.safeParse(spec).data;
    return named === undefined || deletionTimestamp !== undefined
      ? []
      : [`${namespace}/${named.healthCheck.additionalHeadersRef.name}`];
  });
  return new Set(keys);
}
