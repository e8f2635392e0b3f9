import type { Kind } from "../kubernetes/kinds.ts";
import type { ObjectRef } from "../kubernetes/object.ts";
import type { Desired, Scope, Wanted } from "./desired.ts";
import { keyOf, namesIn, refOf } from "./diff.ts";
import type { Entry } from "./next-action.ts";
import type { ObjectCache } from "./options.ts";
import { newRetryState } from "./retry-state.ts";

/** The objects that are desired, that were desired, or that lie in a scope. */
export class Entries {
  readonly #entries = new Map<string, Entry>();
  /** The objects that are to publish a DNS name. Looked up for each object that is to go: there may be thousands. */
  readonly #publishers = new Map<unknown, Entry[]>();
  #scopes: readonly Scope[] = [];

  get scopes(): readonly Scope[] {
    return this.#scopes;
  }

  all(): MapIterator<Entry> {
    return this.#entries.values();
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  /** The desired objects that publish this DNS name. */
  publishersOf(name: unknown): readonly Entry[] {
    return this.#publishers.get(name) ?? [];
  }

  /** Replaces the desired state. Each object in a scope gets an entry too. */
  want({ wanted, scopes }: Desired, refreshTimes: boolean, cacheOf: (kind: Kind) => ObjectCache): void {
    this.#scopes = scopes;
    this.#publishers.clear();
    for (const entry of this.all()) entry.wanted = undefined;
    for (const one of wanted) {
      const entry = this.#of(one.kind, refOf(one));
      entry.wanted = one;
      this.#index(entry, one);
      if (refreshTimes) entry.refresh ??= {};
    }
    for (const { kind } of scopes) for (const { metadata } of cacheOf(kind).list()) this.#of(kind, metadata);
  }

  /** The entry of an object; undefined if the object is neither known nor in a scope. */
  find(kind: Kind, ref: ObjectRef): Entry | undefined {
    const isScoped = this.#scopes.some((scope) => scope.kind === kind);
    return isScoped ? this.#of(kind, ref) : this.#entries.get(keyOf(kind, ref));
  }

  forget({ key }: Entry): void {
    this.#entries.delete(key);
  }

  #index(entry: Entry, wanted: Wanted): void {
    if (wanted.type !== "Object") return;
    for (const name of namesIn(wanted.object)) {
      const known = this.#publishers.get(name);
      if (known === undefined) this.#publishers.set(name, [entry]);
      else known.push(entry);
    }
  }

  #of(kind: Kind, { name, namespace }: ObjectRef): Entry {
    const ref = { name, ...(namespace !== undefined && { namespace }) };
    const key = keyOf(kind, ref);
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const none = { wanted: undefined, refresh: undefined, failure: undefined, contention: undefined };
    const entry: Entry = { key, kind, ref, ...none, retry: newRetryState(), isAwaited: false };
    this.#entries.set(key, entry);
    return entry;
  }
}
