import { Resolver } from "node:dns/promises";
import type { Condition } from "../../shared/model/condition.ts";
import { type PublishedHost, Registry } from "../publish/external-dns/registry.ts";
import type { Settings } from "../settings-schema.ts";

const TIMEOUT_MS = 2_000;
const TRIES = 2;
const CONCURRENCY = 8;

/** Who publishes the hosts that are to be published, by external-dns' records in DNS. Without a setting nobody is asked. */
export class Owners {
  readonly #registry: Registry | undefined;
  readonly #asked = new Set<string>();

  constructor(settings: Settings) {
    if (settings.externalDnsOwner === undefined) return;
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    if (settings.externalDnsResolvers !== undefined) resolver.setServers(settings.externalDnsResolvers);
    this.#registry = new Registry({
      resolver,
      ownerId: settings.externalDnsOwner,
      concurrency: CONCURRENCY,
      prefix: settings.externalDnsTxtPrefix ?? "",
      suffix: settings.externalDnsTxtSuffix ?? "",
      wildcardReplacement: settings.externalDnsTxtWildcardReplacement ?? "",
    });
  }

  /** Asks for hosts that were never asked for, before they are published for the first time. */
  async ask(hosts: readonly PublishedHost[]): Promise<void> {
    const fresh = hosts.filter(({ rootHost }) => !this.#asked.has(rootHost));
    if (this.#registry === undefined || fresh.length === 0) return;
    await this.#registry.look(fresh);
    for (const { rootHost } of fresh) this.#asked.add(rootHost);
  }

  /** Asks for all of them anew. Answers whether anything is otherwise now. */
  async askAgain(hosts: readonly PublishedHost[]): Promise<boolean> {
    const before = this.#told(hosts);
    this.#registry?.keep(hosts);
    await this.#registry?.look(hosts);
    return before !== this.#told(hosts);
  }

  /** The condition of the records of a host that somebody else publishes. */
  conditionOf(rootHost: string): Condition | undefined {
    const conflict = this.#registry?.conflictOf(rootHost);
    if (conflict === undefined) return undefined;
    return {
      type: "PublisherConflict",
      status: "True",
      reason: "OtherOwner",
      message: `${rootHost} is published by the external-dns owner "${conflict.owner}" (TXT record ${conflict.name}). Stop it there, or have that record removed.`,
    };
  }

  #told(hosts: readonly PublishedHost[]): string {
    return JSON.stringify(hosts.map(({ rootHost }) => this.conditionOf(rootHost)?.message));
  }
}
