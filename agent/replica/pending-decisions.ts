import { isNewer, NO_NUMBER } from "../../shared/number.ts";
import { type DeliveredRecord, readDelivery } from "../edge/delivered.ts";
import { sharesOf } from "../plan/accepted-specs.ts";
import { nextSerial, planHosts } from "../plan/plan-hosts.ts";
import type { OwnRecord } from "../sources/manifest-file.ts";

import type { HostState, State } from "../status/state.ts";

/** A decision, and which one the objects of the cluster held when it came. */
interface Kept {
  delivered: DeliveredRecord;
  storedDecidedAt: number | undefined;
}

/**
 * What the edge has decided and nobody could store: the API server did not answer, so that no replica led. It counts in this
 * replica's DNS, and for a term that begins here, until the objects hold another decision than they did when it came. It is never
 * acknowledged: the edge delivers it again until it is stored.
 */
export class PendingDecisions {
  readonly #cluster: string;
  readonly #kept = new Map<string, Kept>();
  #number = NO_NUMBER;

  constructor(cluster: string) {
    this.#cluster = cluster;
  }

  /**
   * Keeps a delivery that is known to be the edge's, if it is whole: what changes stand on was never held here. Returns
   * whether it says anything new.
   *
   * @param stored what the objects hold now, by root host; of others nothing is kept
   */
  take(json: unknown, stored: Readonly<Record<string, HostState>>): boolean {
    const read = readDelivery(json);
    if (!read.ok || read.delivery.cluster !== this.#cluster) return false;
    if (read.delivery.kind !== "Full" || !isNewer(read.delivery.number, this.#number)) return false;
    const { number, records } = read.delivery;
    this.#number = number;
    for (const delivered of records) {
      const host = stored[delivered.rootHost];
      if (host !== undefined)
        this.#kept.set(delivered.rootHost, { delivered, storedDecidedAt: host.delivered?.decidedAt });
    }
    return true;
  }

  has(rootHost: string): boolean {
    return this.#kept.has(rootHost);
  }

  get isEmpty(): boolean {
    return this.#kept.size === 0;
  }

  /** The state that the objects hold, with what was decided since. What they hold by now is kept no more. */
  over(state: State, records: readonly OwnRecord[]): State {
    const hosts = { ...state.hosts };
    for (const [rootHost, { delivered, storedDecidedAt }] of [...this.#kept]) {
      const stored = state.hosts[rootHost]?.delivered?.decidedAt;
      if (stored === storedDecidedAt && delivered.decidedAt !== stored)
        hosts[rootHost] = { ...hosts[rootHost], delivered };
      else this.#kept.delete(rootHost);
    }
    if (this.isEmpty) return state;
    const shares = sharesOf(records, state.records);
    const plan = planHosts({ cluster: this.#cluster, shares, hosts, silent: false });
    const decided = [...this.#kept.keys()].flatMap((rootHost) => {
      const host = plan.hosts[rootHost];
      return host === undefined ? [] : [[rootHost, host] as const];
    });
    return {
      ...state,
      hosts: { ...state.hosts, ...Object.fromEntries(decided) },
      serial: nextSerial(state.serial, this.#number),
    };
  }
}
