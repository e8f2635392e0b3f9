import type { Kind } from "../kubernetes/kinds.ts";
import type { ObjectRef } from "../kubernetes/object.ts";
import type { Desired, Scope, Wanted } from "./desired.ts";
import { keyOf, namesIn, refOf } from "./diff.ts";
import type { Entry } from "./next-action.ts";
import type { ObjectCache } from "./ports.ts";
import { newRetryState } from "./retry-state.ts";

/** The objects that are wanted, that were, or that lie in a scope. */
export class Entries {
  readonly #entries = new Map<string, Entry>();
  /** Who is to publish a DNS name: asked for each object that goes, of which there may be thousands. */
  readonly #publishers = new Map<unknown, Entry[]>();
  #scopes: readonly Scope[] = [];

  get scopes(): readonly Scope[] {
    return this.#scopes;
  }

  all(): MapIterator<Entry> {
    return this.#entries.values();
  }

  /** Those that are wanted with this DNS name. */
  publishersOf(name: unknown): readonly Entry[] {
    return this.#publishers.get(name) ?? [];
  }

  /** From now on this is wanted, and nothing else; what lies in the scopes is an entry too. */
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

  /** The entry of an object; undefined where it is none of ours to look at. */
  find(kind: Kind, ref: ObjectRef): Entry | undefined {
    const isScoped = this.#scopes.some((scope) => scope.kind === kind);
    return isScoped ? this.#of(kind, ref) : this.#entries.get(keyOf(kind, ref));
  }

  forget({ kind, ref }: Entry): void {
    this.#entries.delete(keyOf(kind, ref));
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
    const rest = { wanted: undefined, dueAtMs: undefined, refresh: undefined, trouble: undefined, haste: undefined };
    const entry: Entry = { kind, ref, ...rest, patience: newRetryState(), isAwaited: false, isBusy: false, looks: 0 };
    this.#entries.set(key, entry);
    return entry;
  }
}
