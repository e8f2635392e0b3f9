import { canonicalAddress } from "../../../shared/model/address.ts";
import type { Mutex } from "../dial/mutex.ts";
import type { DnsAnswer, Family } from "./dns-over-https.ts";

/** Asks for one family of a name. Never rejects. */
export type QueryFamily = (name: string, family: Family, timeoutMs: number) => Promise<DnsAnswer>;

/** The addresses of a name, sorted and unique; `trouble` where the resolver failed for a family, whatever the other gave. */
export interface ResolvedName {
  addresses: string[];
  trouble?: string;
  /** Time spent asking, without waiting for the slot. */
  resolveMs: number;
}

interface Cached {
  addresses: string[];
  freshUntilMs: number;
}

const FAMILIES: readonly Family[] = ["A", "AAAA"];
const LEAST_TTL_MS = 5_000;
const MOST_TTL_MS = 60_000;
/** Far more than a shard has: what is left of names long gone goes with the rest. */
const MAX_CACHED = 200;
/** More are not asked: one name must not take all the slots. */
export const MAX_ADDRESSES = 16;

/**
 * The names of one object (docs/design/dialling.md): cached for their TTL within 5 to 60 s. When the resolver fails they are
 * served stale for one interval more. One question is asked at a time, for it takes the one slot that dials leave; those who want
 * the same name share it.
 */
export class CachingResolver {
  readonly #ask: QueryFamily;
  readonly #cache = new Map<string, Cached>();
  readonly #resolving = new Map<string, Promise<ResolvedName>>();
  readonly #mutex: Mutex;

  constructor(ask: QueryFamily, mutex: Mutex) {
    this.#ask = ask;
    this.#mutex = mutex;
  }

  /**
   * `timeoutMs` starts when the query has its slot, and covers both families. `staleMs` is how long after its TTL an answer is
   * still used when the resolver fails.
   */
  resolve(name: string, timeoutMs: number, staleMs: number): Promise<ResolvedName> {
    const resolving = this.#resolving.get(name) ?? this.#inTurn(name, timeoutMs, staleMs);
    this.#resolving.set(name, resolving);
    return resolving;
  }

  #inTurn(name: string, timeoutMs: number, staleMs: number): Promise<ResolvedName> {
    const isFresh = FAMILIES.every((family) => this.#fresh(name, family) !== undefined);
    const resolve = () => this.#resolve(name, timeoutMs, staleMs);
    return (isFresh ? resolve() : this.#mutex.runExclusive(resolve)).finally(() => this.#resolving.delete(name));
  }

  async #resolve(name: string, timeoutMs: number, staleMs: number): Promise<ResolvedName> {
    const startedAt = Date.now();
    const addresses = new Set<string>();
    let trouble: string | undefined;
    for (const family of FAMILIES) {
      const leftMs = Math.max(0, startedAt + timeoutMs - Date.now());
      const answer = this.#fresh(name, family) ?? (await this.#refresh(name, family, leftMs, staleMs));
      if ("trouble" in answer) trouble ??= answer.trouble;
      else for (const address of answer.addresses) addresses.add(address);
    }
    return {
      addresses: [...addresses].sort().slice(0, MAX_ADDRESSES),
      ...(trouble !== undefined && { trouble }),
      resolveMs: Math.max(0, Date.now() - startedAt),
    };
  }

  #fresh(name: string, family: Family): Cached | undefined {
    const cached = this.#cache.get(`${family} ${name}`);
    return cached !== undefined && Date.now() < cached.freshUntilMs ? cached : undefined;
  }

  async #refresh(name: string, family: Family, timeoutMs: number, staleMs: number): Promise<Cached | DnsAnswer> {
    const key = `${family} ${name}`;
    const answer = await this.#ask(name, family, timeoutMs);
    if ("trouble" in answer) {
      const stale = this.#cache.get(key);
      return stale !== undefined && Date.now() < stale.freshUntilMs + staleMs ? stale : answer;
    }
    const addresses = answer.addresses.flatMap((address) => canonicalAddress(address) ?? []);
    const ttlMs = Math.min(MOST_TTL_MS, Math.max(LEAST_TTL_MS, answer.ttlMs));
    const cached = { addresses, freshUntilMs: Date.now() + ttlMs };
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear();
    this.#cache.set(key, cached);
    return cached;
  }
}
