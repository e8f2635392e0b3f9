import type { KubeClient } from "../kubernetes/client.ts";
import { LEASE } from "../kubernetes/kinds.ts";
import { FIELD_MANAGER, type KubeObject } from "../kubernetes/object.ts";
import { contactOf, contactRef, leaseObject } from "../status/lease-object.ts";
import type { State } from "../status/state.ts";

export interface ContactLeaseOptions {
  client: Pick<KubeClient, "apply" | "get">;
  namespace: string;
  /** When the edge was last heard, Unix ms; undefined if it was not yet. */
  heardAt: () => number | undefined;
  /** Called with the written Lease: it carries the time of the API server. */
  onWritten: (lease: KubeObject) => void;
}

/** Keeps the last contact with the edge in a Lease. The Lease is written only if its content changes. */
export class ContactLease {
  readonly #options: ContactLeaseOptions;
  #before: KubeObject | undefined;
  #last: State | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: ContactLeaseOptions) {
    this.#options = options;
  }

  /** Stores the number of the newest delivery and the last contact. Rejects if they have changed and cannot be written. */
  write(state: State): Promise<void> {
    this.#last = state;
    const turn = this.#turn.then(() => this.#write(state));
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /** Writes the last contact again, if a state was written before. */
  async keepAlive(): Promise<void> {
    if (this.#last !== undefined) await this.write(this.#last);
  }

  async #write(state: State): Promise<void> {
    const { client, namespace, heardAt, onWritten } = this.#options;
    // The contact and number of a former leader hold until there are newer ones. The number never goes back.
    this.#before ??= await client.get(LEASE, contactRef(state.edge.cluster, namespace));
    const { object } = leaseObject({ state, namespace, heardAt: heardAt(), before: this.#before });
    if (this.#before !== undefined && content(this.#before) === content(object)) return;
    const { resourceVersion } = this.#before?.metadata ?? {};
    // A late write finds another version once another replica leads, and is refused: the number never goes back.
    const metadata = { ...object.metadata, ...(resourceVersion !== undefined && { resourceVersion }) };
    this.#before = await client
      .apply(LEASE, { ...object, metadata }, { fieldManager: FIELD_MANAGER })
      .catch((error) => {
        this.#before = undefined;
        throw error;
      });
    onWritten(this.#before);
  }
}

/** The content that is worth a write. The time of the newest delivery alone is not. */
function content(lease: KubeObject): string {
  const { sentAt: _, ...told } = contactOf(lease);
  return JSON.stringify(told);
}
