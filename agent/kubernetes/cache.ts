import type { WatchEvent } from "./decode.ts";
import { isOlderVersion, type KubeObject, type ObjectRef, refKey } from "./object.ts";

/** A change of one object. `before` is undefined if it was added, `after` if it was removed. */
export interface Change {
  before: KubeObject | undefined;
  after: KubeObject | undefined;
}

/** The last read objects of one kind, and the resourceVersion of that reading. It does no I/O. */
export class ObjectCache {
  #objects = new Map<string, KubeObject>();
  #readTo: string | undefined;
  #newest: string | undefined;

  /** The resourceVersion from which a watch continues; undefined before the first list. */
  get resourceVersion(): string | undefined {
    return this.#readTo;
  }

  /** The newest resourceVersion that was seen, own writes included. A list that is requested now cannot be older. */
  get newestVersion(): string | undefined {
    return this.#newest;
  }

  get(ref: ObjectRef): KubeObject | undefined {
    return this.#objects.get(refKey(ref));
  }

  list(): readonly KubeObject[] {
    return [...this.#objects.values()];
  }

  /**
   * Replaces the content by a whole list. An object stays as it is if an own write made it newer than the list. A list
   * that is older than `newestBefore` comes from a restored etcd, whose versions start again; it then replaces
   * everything.
   *
   * @param newestBefore `newestVersion` at the time when the list was requested
   */
  replaceAll(items: readonly KubeObject[], version: string, newestBefore: string | undefined): Change[] {
    const isRestored = isOlderVersion(version, newestBefore);
    const changes: Change[] = [];
    const listed = new Map(items.map((item) => [refKey(item.metadata), item]));
    for (const [key, held] of this.#objects) {
      const isNewer = !isRestored && isOlderVersion(version, held.metadata.resourceVersion);
      if (!listed.has(key) && !isNewer) changes.push(...this.#set(key, undefined));
    }
    for (const [key, item] of listed) {
      const held = this.#objects.get(key);
      const isStale = !isRestored && isOlderVersion(item.metadata.resourceVersion, held?.metadata.resourceVersion);
      if (!isStale) changes.push(...this.#set(key, item));
    }
    this.#readTo = version;
    if (isRestored) this.#newest = undefined;
    this.#met(version);
    return changes;
  }

  /** Applies one event of a watch. An event that is older than the cached object is ignored. */
  applyEvent({ type, object }: WatchEvent): Change[] {
    const version = object.metadata.resourceVersion;
    this.#readTo = version;
    this.#met(version);
    if (type === "BOOKMARK") return [];
    const key = refKey(object.metadata);
    if (isOlderVersion(version, this.#objects.get(key)?.metadata.resourceVersion)) return [];
    return this.#set(key, type === "DELETED" ? undefined : object);
  }

  /**
   * Stores the answer of an own write, which is often ahead of the watch. If the object is not cached and the watch is
   * ahead of the answer, the object was deleted since; the answer is then ignored.
   */
  put(object: KubeObject): Change[] {
    const { resourceVersion: version } = object.metadata;
    const key = refKey(object.metadata);
    const known = this.#objects.get(key)?.metadata.resourceVersion ?? this.#readTo;
    if (version === undefined || version === known || isOlderVersion(version, known)) return [];
    this.#met(version);
    return this.#set(key, object);
  }

  clear(): Change[] {
    this.#readTo = undefined;
    this.#newest = undefined;
    return [...this.#objects.keys()].flatMap((key) => this.#set(key, undefined));
  }

  #met(version: string | undefined): void {
    if (version !== undefined && (this.#newest === undefined || isOlderVersion(this.#newest, version)))
      this.#newest = version;
  }

  /** An object with another uid is another object: the old one was removed and the new one added. */
  #set(key: string, after: KubeObject | undefined): Change[] {
    const before = this.#objects.get(key);
    if (before === undefined && after === undefined) return [];
    if (after === undefined) this.#objects.delete(key);
    else this.#objects.set(key, after);
    if (before === undefined || after === undefined) return [{ before, after }];
    if (before.metadata.uid !== after.metadata.uid)
      return [
        { before, after: undefined },
        { before: undefined, after },
      ];
    const isSame = before.metadata.resourceVersion === after.metadata.resourceVersion;
    return isSame ? [] : [{ before, after }];
  }
}
