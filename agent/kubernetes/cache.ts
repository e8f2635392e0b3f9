import type { WatchEvent } from "./decode.ts";
import { isOlderVersion, type KubeObject, type ObjectRef, refKey } from "./object.ts";

/** What happened to one object: one side is missing where it came or went. */
export interface Change {
  before: KubeObject | undefined;
  after: KubeObject | undefined;
}

/** The objects of one kind as last read, and up to which resourceVersion they were read. No I/O. */
export class ObjectCache {
  #objects = new Map<string, KubeObject>();
  #readTo: string | undefined;
  #newest: string | undefined;

  /** The resourceVersion from which a watch goes on; undefined before the first list. */
  get resourceVersion(): string | undefined {
    return this.#readTo;
  }

  /** The newest resourceVersion that was met, in own writes too: a list that is asked for now cannot be older. */
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
   * Takes a whole list. An object that an own write has brought further than the list stays as it is; but a list that is older
   * than what had been met before it was asked for comes from a restored etcd, whose versions begin again: it is taken whole.
   *
   * @param newestBefore `newest` as it was when the list was asked for
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

  /** Takes one event of a watch. One that is older than the object as held says nothing new. */
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
   * Takes the answer of an own write, which is often ahead of the watch. An object that is not held was deleted again where the
   * watch has come further than the answer.
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

  /** An object of another uid is another object: the first went and the second came. */
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
