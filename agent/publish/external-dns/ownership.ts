import { Resolver } from "node:dns/promises";
import { sleep } from "../../kubernetes/abort.ts";
import type { Settings } from "../../runtime/settings-schema.ts";
import { type PublishedHost, Registry } from "./registry.ts";

const TIMEOUT_MS = 2_000;
const TRIES = 2;
const CONCURRENCY = 8;
/** A decision waits for the answers. After this the owner that was known before counts, until an answer comes. */
const ASK_WITHIN_MS = 3_000;

/** Finds the owners of hosts by the registry records of external-dns in DNS. Without an owner id in the settings it asks nothing. */
export class Ownership {
  readonly #registry: Registry | undefined;
  readonly #stopping = new AbortController();
  /** The record sets that were looked up, by root host. */
  readonly #asked = new Map<string, ReadonlySet<string>>();

  constructor(settings: Settings) {
    if (settings.externalDnsOwner === undefined) return;
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    if (settings.externalDnsResolvers !== undefined) resolver.setServers(settings.externalDnsResolvers);
    this.#stopping.signal.addEventListener("abort", () => resolver.cancel());
    this.#registry = new Registry({
      signal: this.#stopping.signal,
      resolver,
      ownerId: settings.externalDnsOwner,
      concurrency: CONCURRENCY,
      prefix: settings.externalDnsTxtPrefix ?? "",
      suffix: settings.externalDnsTxtSuffix ?? "",
      wildcardReplacement: settings.externalDnsTxtWildcardReplacement ?? "",
    });
  }

  /**
   * Looks up the hosts with record sets that were never looked up, before they are published for the first time. `hosts` are all
   * hosts; an undecided one has no record sets.
   */
  async ask(hosts: readonly PublishedHost[]): Promise<void> {
    if (this.#registry === undefined) return;
    const named = new Set(hosts.map(({ rootHost }) => rootHost));
    for (const rootHost of this.#asked.keys()) if (!named.has(rootHost)) this.#asked.delete(rootHost);
    const fresh = hosts.filter((host) => !setsOf(host).isSubsetOf(this.#askedOf(host)));
    if (fresh.length === 0) return;
    const enough = new AbortController();
    const looking = this.#registry.look(fresh).finally(() => enough.abort());
    await Promise.race([looking, sleep(ASK_WITHIN_MS, enough.signal)]);
    for (const host of fresh) this.#asked.set(host.rootHost, this.#askedOf(host).union(setsOf(host)));
  }

  #askedOf({ rootHost }: PublishedHost): ReadonlySet<string> {
    return this.#asked.get(rootHost) ?? new Set();
  }

  /** Looks up all hosts again. Returns whether a conflict has come, changed or gone. */
  async askAgain(hosts: readonly PublishedHost[]): Promise<boolean> {
    const before = this.#conflicts(hosts);
    this.#registry?.keep(hosts);
    await this.#registry?.look(hosts);
    return before !== this.#conflicts(hosts);
  }

  /** Cancels the look-ups in flight, and starts no more. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Why the host must not be published: another owner publishes it. Undefined if no other owner is known. */
  conflictOf(rootHost: string): string | undefined {
    const conflict = this.#registry?.conflictOf(rootHost);
    if (conflict === undefined) return undefined;
    return `${rootHost} is published by the external-dns owner "${conflict.owner}" (TXT record ${conflict.name}). Stop it there, or have that record removed.`;
  }

  #conflicts(hosts: readonly PublishedHost[]): string {
    return JSON.stringify(hosts.map(({ rootHost }) => this.conflictOf(rootHost)));
  }
}

const setsOf = ({ endpoints }: PublishedHost) =>
  new Set(endpoints.map(({ dnsName, recordType }) => `${recordType} ${dnsName}`));
