import type { KubeClient } from "../kubernetes/client.ts";
import { Informer } from "../kubernetes/informer.ts";
import {
  DNS_ENDPOINT,
  DNS_HEALTH_CHECK_POLICY,
  DNS_HEALTH_CHECK_PROBE,
  DNS_RECORD,
  GATEWAY,
  type Kind,
} from "../kubernetes/kinds.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import type { Log } from "../runtime/log.ts";
/** Called for each object that was added, updated or deleted. */
export type OnChange = (kind: Kind, before: KubeObject | undefined, after: KubeObject | undefined) => void;

export interface InformersOptions {
  client: KubeClient;
  resyncMs: number;
  /** Whether DNSEndpoints are written: an agent that does not may not be allowed to read them. */
  hasEndpoints: boolean;
  onChange: OnChange;
  /** Called when a kind was synced, became known or became unknown. */
  onStateChange: () => void;
  log: Log;
}

/** What the agent watches of the cluster, each kind by an informer of its own. */
export class Informers {
  readonly records: Informer;
  readonly probes: Informer;
  readonly policies: Informer;
  readonly gateways: Informer;
  readonly endpoints: Informer | undefined;
  readonly #all: ReadonlyMap<Kind, Informer>;

  constructor({ client, resyncMs, hasEndpoints, onChange, onStateChange, log }: InformersOptions) {
    const common = { client, resyncMs, log, onStateChange };
    const informer = (kind: Kind) =>
      new Informer({ ...common, kind, onChange: (before, after) => onChange(kind, before, after) });
    this.records = informer(DNS_RECORD);
    this.probes = informer(DNS_HEALTH_CHECK_PROBE);
    this.policies = informer(DNS_HEALTH_CHECK_POLICY);
    this.gateways = informer(GATEWAY);
    this.endpoints = hasEndpoints ? informer(DNS_ENDPOINT) : undefined;
    this.#all = new Map([
      [DNS_RECORD, this.records],
      [DNS_HEALTH_CHECK_PROBE, this.probes],
      [DNS_HEALTH_CHECK_POLICY, this.policies],
      [GATEWAY, this.gateways],
      ...(this.endpoints === undefined ? [] : [[DNS_ENDPOINT, this.endpoints] as const]),
    ]);
  }

  start(): void {
    for (const informer of this.#all.values()) informer.start();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#all.values()].map((informer) => informer.stop()));
  }

  /** Lists all kinds again, so that the caches are not older than the call. Rejects where one cannot be read. */
  async refresh(): Promise<void> {
    await Promise.all([...this.#all.values()].map((informer) => informer.refresh()));
  }

  of(kind: Kind): Informer | undefined {
    return this.#all.get(kind);
  }

  /** Whether every kind was listed once; a kind that the cluster does not know counts as listed. */
  get isSynced(): boolean {
    return [...this.#all.values()].every(({ isSynced }) => isSynced);
  }

  /** The kinds that are not listed yet, as text. */
  notReady(): string[] {
    return [...this.#all].flatMap(([{ plural }, { isSynced, lastError }]) =>
      isSynced ? [] : [`${plural} have not been listed${lastError === undefined ? "" : `: ${lastError}`}`],
    );
  }
}

/** Whether a change of a DNSRecord concerns more than its status, which the agent itself writes. */
export function isSpecChange(before: KubeObject | undefined, after: KubeObject | undefined): boolean {
  return told(before) !== told(after);
}

function told(record: KubeObject | undefined): string {
  if (record === undefined) return "";
  const { uid, generation, deletionTimestamp, finalizers, labels, annotations, ownerReferences } = record.metadata;
  return JSON.stringify([uid, generation, deletionTimestamp, finalizers, labels, annotations, ownerReferences]);
}
