import { z } from "zod";
import { endpoint } from "../../shared/model/endpoint.ts";
import { dnsName } from "../../shared/model/host.ts";
import { isUnder } from "../edge/delivered.ts";
import type { KubeClient } from "../kubernetes/client.ts";
import { DNS_RECORD, type Kind, LEASE } from "../kubernetes/kinds.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import type { Zones } from "../publish/dns-server/respond.ts";
import { buildZones, type PublishedHost, zoneSettings } from "../publish/dns-server/zone.ts";
import type { Log } from "../runtime/log.ts";
import { type Repeated, repeat } from "../runtime/repeat.ts";
import type { Settings } from "../runtime/settings-schema.ts";
import { contactOf, contactRef } from "../status/lease-object.ts";
import type { Informers } from "./informers.ts";
import { heldState } from "./load-state.ts";
import type { PendingDecisions } from "./pending-decisions.ts";

const LOOK_MS = 200;
/** DNS does not wait for longer: the last serial known will do. */
const SERIAL_WITHIN_MS = 1_000;

export interface FollowerDnsOptions {
  settings: Settings;
  caches: Informers;
  unstored: PendingDecisions;
  client: Pick<KubeClient, "get">;
  namespace: string;
  serve: (zones: Zones) => void;
  isLeader: () => boolean;
  log: Log;
}

/**
 * The DNS answers of a replica that does not lead. They come from the records' statuses, and from later decisions that
 * no leader could store.
 */
export class FollowerDns {
  readonly #options: FollowerDnsOptions;
  readonly #looking: Repeated;
  #isDue = true;
  #serial = 1;

  constructor(options: FollowerDnsOptions) {
    this.#options = options;
    this.#looking = repeat(
      () => this.#look(),
      () => LOOK_MS,
      options.log,
    );
  }

  /** To be called when an object of this kind, or who leads, has changed. */
  changed(kind: Kind = DNS_RECORD): void {
    if (kind === DNS_RECORD) this.#isDue = true;
  }

  async stop(): Promise<void> {
    await this.#looking.stop();
  }

  async #look(): Promise<void> {
    const { caches, isLeader, serve, settings } = this.#options;
    if (!this.#isDue || !caches.records.isSynced || isLeader()) return;
    this.#isDue = false;
    const stored = await this.#readSerial();
    // Meanwhile it may have come to lead: what it serves then is the newest.
    if (isLeader()) return;
    const { hosts, serial } = this.#hosts(stored);
    serve(buildZones(hosts, serial, zoneSettings(settings)));
  }

  #hosts(stored: number): { hosts: PublishedHost[]; serial: number } {
    const { caches, unstored } = this.#options;
    const published = publishedHosts(caches.records.list());
    if (unstored.isEmpty) return { hosts: published, serial: stored };
    const state = heldState(this.#options);
    const hosts = published.map(({ rootHost, endpoints }) => {
      const decided = unstored.has(rootHost) ? state.hosts[rootHost]?.served : undefined;
      return { rootHost, endpoints: decided ?? endpoints };
    });
    return { hosts, serial: Math.max(stored, state.serial) };
  }

  /** The leader's, so that both say the same of a zone; the last known while it cannot be read. */
  async #readSerial(): Promise<number> {
    const { client, namespace, settings } = this.#options;
    const ref = contactRef(settings.cluster, namespace);
    const lease = await client.get(LEASE, ref, { deadlineMs: SERIAL_WITHIN_MS }).catch(() => undefined);
    this.#serial = Math.max(this.#serial, contactOf(lease).serial);
    return this.#serial;
  }
}

const naming = z.looseObject({ rootHost: dnsName });

/** The rest of a status, which another version may write otherwise, is no matter here. */
const showing = z.looseObject({
  published: z.array(endpoint).optional().catch(undefined),
  lastAccepted: z.looseObject({ spec: naming }).optional().catch(undefined),
});

/**
 * What is in DNS of each root host, as the records' statuses say. A record whose spec is refused stands for the host of the form
 * that was accepted last. A status that says nothing, or cannot be read, or is of another host yet, leaves the host undecided:
 * other servers are asked for it.
 */
export function publishedHosts(records: readonly KubeObject[]): PublishedHost[] {
  const hosts = new Map<string, PublishedHost>();
  for (const { spec, status, metadata } of records) {
    const { published, lastAccepted } = showing.safeParse(status).data ?? {};
    const named = lastAccepted?.spec ?? naming.safeParse(spec).data;
    if (named === undefined || metadata.deletionTimestamp !== undefined) continue;
    const { rootHost } = named;
    const isOfHost = published?.every(({ dnsName: name }) => isUnder(rootHost, name));
    hosts.set(rootHost, { rootHost, endpoints: isOfHost ? published : hosts.get(rootHost)?.endpoints });
  }
  return [...hosts.values()];
}
