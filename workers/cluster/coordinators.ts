import type { Condition } from "../../shared/model/condition.ts";
import type { Decisions } from "../../shared/model/messages/shares.ts";
import type { MessageNumber } from "../../shared/model/number.ts";
import type { RecordStatus } from "../../shared/model/status.ts";
import type { Usage } from "../../shared/model/usage.ts";
import { compareNumbers, isNewer, numberAbove } from "../../shared/number.ts";
import { callWithRetry, errorMessage } from "../retry.ts";
import type { ClusterContact, ClusterEvent, CoordinatorRpc, SharesReceipt } from "../rpc.ts";
import { withTimeout } from "../timeout.ts";
import type { Partition } from "./partitions.ts";
import type { ClusterStore, OutboxState } from "./store.ts";

/** A coordinator that does not answer within this time is called again later. */
const CALL_LIMIT_MS = 5_000;

type CoordinatorOf = (partition: number) => CoordinatorRpc;

/**
 * Returns the number of partitions at install, because all clusters must agree on a record's partition. The first
 * coordinator knows it; if that is unreachable, the setting is used.
 */
export async function partitionsAtInstall(coordinatorOf: CoordinatorOf, setting: number): Promise<number> {
  try {
    const call = () => coordinatorOf(0).partitions();
    return await withTimeout(callWithRetry(call), CALL_LIMIT_MS);
  } catch (error) {
    console.warn(`The first coordinator cannot be reached, PARTITIONS is taken as set: ${errorMessage(error)}`);
    return setting;
  }
}

/** The coordinators' conditions of the cluster's records, by key. */
export type RecordConditions = ReadonlyMap<string, readonly Condition[]>;

/**
 * The cluster's calls to the coordinators. Shares go out whole and numbered, and decisions come back. An unreachable
 * coordinator is logged and called again later, and never delays another one.
 */
export class Coordinators {
  readonly #store: ClusterStore;
  readonly #coordinatorOf: CoordinatorOf;
  readonly #take: (decisions: Decisions) => void;
  readonly #used: () => Usage;

  /** `used` returns the usage of the cluster's object since its last call. */
  constructor(
    store: ClusterStore,
    coordinatorOf: CoordinatorOf,
    take: (decisions: Decisions) => void,
    used: () => Usage,
  ) {
    this.#store = store;
    this.#coordinatorOf = coordinatorOf;
    this.#take = take;
    this.#used = used;
  }

  /** Whether a coordinator lacks the registration or the newest shares. */
  isBehind(): boolean {
    return this.#store.partitions.all().some(isBehind);
  }

  /** Sends every coordinator what it lacks. Returns their conditions of the records. */
  async forward(): Promise<RecordConditions> {
    const behind = this.#store.partitions.all().filter(isBehind);
    const receipts = await Promise.all(behind.map((one) => this.#attempt(() => this.#forward(one.partition))));
    const records = receipts.flatMap((receipt) => receipt?.records ?? []);
    return new Map(records.map(({ record, conditions }) => [record, conditions]));
  }

  /** The regular contact with every coordinator, which repairs what either side lost. */
  async contact(): Promise<void> {
    const all = this.#store.partitions.all();
    await Promise.all(all.map(({ partition }) => this.#attempt(() => this.#contact(partition))));
  }

  /**
   * The current records of the cluster from each coordinator, by root host. Those of an unreachable coordinator are
   * missing.
   */
  async view(): Promise<RecordStatus[]> {
    const { cluster } = this.#identity();
    const all = this.#store.partitions.all();
    const views = await Promise.all(
      all.map(({ partition }) => this.#attempt(() => this.#call(partition, (one) => one.viewRecords(cluster)))),
    );
    return views.flatMap((records) => records ?? []).sort((a, b) => (a.rootHost < b.rootHost ? -1 : 1));
  }

  /** Writes events to the log of the first partition, if it is reachable. */
  async note(events: readonly ClusterEvent[]): Promise<void> {
    for (const event of events) await this.#attempt(() => this.#call(0, (one) => one.noteEvent(event)));
  }

  /** Removes the cluster from every coordinator. Throws if one is unreachable. */
  async remove(): Promise<void> {
    const { cluster, epoch } = this.#identity();
    const all = this.#store.partitions.all();
    await Promise.all(all.map(({ partition }) => this.#call(partition, (one) => one.removeCluster(cluster, epoch))));
  }

  async #contact(partition: number): Promise<void> {
    const state = this.#store.partitions.get(partition);
    if (state === undefined) return;
    if (isBehind(state)) {
      await this.#forward(partition);
      return;
    }
    const { cluster, epoch } = this.#identity();
    const unreachable = unreachableSince(this.#store.outbox.get());
    const contact = {
      cluster,
      sharesNumber: { epoch, n: state.sharesN },
      decisionsNumber: state.decisions,
      ...(unreachable !== undefined && { unreachable }),
      // The first coordinator counts the usage for all.
      ...(partition === 0 && { usage: this.#used() }),
    };
    const receipt = await this.#call(partition, (one) => one.contact(contact));
    if (receipt.decisions) this.#take(receipt.decisions);
    if (receipt.sharesWanted) await this.#forward(partition, true);
  }

  /** Registers the cluster if that is missing or was lost, and sends its shares once there is a snapshot. */
  async #forward(partition: number, isLost = false): Promise<SharesReceipt | undefined> {
    const { cluster, epoch } = this.#identity();
    if (isLost || !this.#store.partitions.get(partition)?.registered) {
      await this.#call(partition, (one) => one.registerCluster(cluster));
      this.#store.partitions.setRegistered(partition);
    }
    const n = this.#store.partitions.get(partition)?.sharesN ?? 0;
    if (n === 0) return undefined;
    const number: MessageNumber = { epoch, n };
    const shares = this.#store.records.ofPartition(partition);
    const receipt = await this.#call(partition, (one) => one.putShares({ version: 1, cluster, number, shares }));
    if (this.#goPast(partition, receipt.number)) return this.#forward(partition);
    if (compareNumbers(receipt.number, number) >= 0) this.#store.partitions.setForwarded(partition, n);
    if (receipt.decisions) this.#take(receipt.decisions);
    return receipt;
  }

  /**
   * Continues above the coordinator's number if this object never used that number. Then this object's storage was
   * restored to an earlier time, and its messages would be dropped. Returns whether that was so.
   */
  #goPast(partition: number, held: MessageNumber): boolean {
    const newest = { epoch: this.#identity().epoch, n: this.#store.snapshot.get().n };
    const above = numberAbove(held);
    if (above.epoch !== newest.epoch || !isNewer(held, newest)) return false;
    this.#store.snapshot.update({ n: above.n });
    this.#store.partitions.setShares(partition, above.n);
    return true;
  }

  #call<Value>(partition: number, call: (coordinator: CoordinatorRpc) => Promise<Value>): Promise<Value> {
    return withTimeout(
      callWithRetry(() => call(this.#coordinatorOf(partition))),
      CALL_LIMIT_MS,
    );
  }

  async #attempt<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await work();
    } catch (error) {
      console.warn(`Cluster ${this.#identity().cluster}: a coordinator cannot be reached: ${errorMessage(error)}`);
      return undefined;
    }
  }

  #identity(): { cluster: string; epoch: number } {
    const { cluster = "", epoch } = this.#store.identity.get();
    return { cluster, epoch };
  }
}

const isBehind = (one: Partition): boolean => !one.registered || one.forwardedN < one.sharesN;

/** The next call corrects a failed one, so an agent counts as unreachable only after a second failure. */
function unreachableSince({ failures, failingSince, lastFailure = "" }: OutboxState): ClusterContact["unreachable"] {
  return failures > 1 && failingSince !== undefined ? { since: failingSince, failure: lastFailure } : undefined;
}
