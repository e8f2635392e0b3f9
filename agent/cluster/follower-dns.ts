import { z } from "zod";
import { dnsRecordStatus } from "../../shared/model/dns-record.ts";
import { dnsName } from "../../shared/model/host.ts";
import type { KubeClient } from "../kubernetes/client.ts";
import type { Informer } from "../kubernetes/informer.ts";
import { DNS_RECORD, type Kind, LEASE } from "../kubernetes/kinds.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import type { Log } from "../log.ts";
import { contactOf, contactRef } from "../objects/lease-object.ts";
import type { Zones } from "../publish/dns/respond.ts";
import { buildZones, type PublishedHost } from "../publish/dns/zone.ts";
import { type Repeated, repeat } from "../repeat.ts";
import { zoneSettings } from "../serve.ts";
import type { Settings } from "../settings-schema.ts";

const LOOK_MS = 200;

export interface FollowerDnsOptions {
  settings: Settings;
  records: Pick<Informer, "list" | "isSynced">;
  client: Pick<KubeClient, "get">;
  namespace: string;
  serve: (zones: Zones) => void;
  isLeader: () => boolean;
  log: Log;
}

/** What a replica that does not lead answers: what the statuses of the records say is in DNS. */
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
    const { records, isLeader, serve, settings } = this.#options;
    if (!this.#isDue || !records.isSynced || isLeader()) return;
    this.#isDue = false;
    const serial = await this.#readSerial();
    // Meanwhile it may have come to lead: what it serves then is the newest.
    if (isLeader()) return;
    serve(buildZones(publishedHosts(records.list()), serial, zoneSettings(settings)));
  }

  /** The leader's, so that both say the same of a zone; the last known while it cannot be read. */
  async #readSerial(): Promise<number> {
    const { client, namespace, settings } = this.#options;
    const lease = await client.get(LEASE, contactRef(settings.cluster, namespace)).catch(() => undefined);
    this.#serial = Math.max(this.#serial, contactOf(lease).serial);
    return this.#serial;
  }
}

/**
 * What is in DNS of each root host, as the records' statuses say. A status that says nothing, or cannot be read, leaves the host
 * undecided: other servers are asked for it.
 */
export function publishedHosts(records: readonly KubeObject[]): PublishedHost[] {
  const hosts = new Map<string, PublishedHost>();
  for (const { spec, status, metadata } of records) {
    const named = z.looseObject({ rootHost: dnsName }).safeParse(spec);
    if (!named.success || metadata.deletionTimestamp !== undefined) continue;
    const { rootHost } = named.data;
    const endpoints = dnsRecordStatus.safeParse(status).data?.published ?? hosts.get(rootHost)?.endpoints;
    hosts.set(rootHost, { rootHost, endpoints });
  }
  return [...hosts.values()];
}
