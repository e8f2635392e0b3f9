import { collect, type OwnRecord } from "./collect.ts";
import { type Listing, listFiles, readStable } from "./list-files.ts";
import { afterRead, type FileContent, formatProblem, type ManifestProblem } from "./manifest-file.ts";
import { parseManifests, unparsed } from "./parse.ts";

export interface SourceState {
  /** False until everything was read once. Until then `records` says nothing, least of all that there are none. */
  complete: boolean;
  records: readonly OwnRecord[];
  /** One line each, sorted. */
  problems: readonly string[];
}

/** What of the source matters for DNS and snapshots, secrets included: compared in memory only. */
export function contentOf({ complete, records }: SourceState): string {
  return JSON.stringify([complete, records]);
}

/**
 * The records of this cluster, from files. Polled rather than watched: that sees every kind of mount alike (ConfigMaps swap
 * links, NFS sends no events), and costs a `stat` a file. A file is read once it has not changed between two polls.
 */
export class ManifestSource {
  readonly #paths: readonly string[];
  readonly #contents: Map<string, FileContent>;
  readonly #readStamps = new Map<string, string>();
  #seenStamps: ReadonlyMap<string, string> = new Map();
  #unread = new Map<string, string>();
  #complete = false;
  #turn: Promise<unknown> = Promise.resolve();

  /** @param remembered what the files held when a former process read them last; without it, a file that cannot be read would hold nothing */
  constructor(paths: readonly string[], remembered: ReadonlyMap<string, FileContent>) {
    this.#paths = paths;
    this.#contents = new Map(remembered);
  }

  /** Looks at the files and reads what changed. `atOnce` reads also what has just changed. */
  poll(atOnce = false): Promise<SourceState> {
    const turn = this.#turn.then(() => this.#pollOnce(atOnce));
    this.#turn = turn.catch(() => {});
    return turn;
  }

  async #pollOnce(atOnce: boolean): Promise<SourceState> {
    const listing = await listFiles(this.#paths);
    this.#unread = new Map(listing.unreadable);
    for (const [file, stamp] of listing.files) {
      const isQuiet = atOnce || !this.#complete || this.#seenStamps.get(file) === stamp;
      if (isQuiet && this.#readStamps.get(file) !== stamp) await this.#read(file, stamp);
    }
    this.#forgetDeleted(listing);
    this.#seenStamps = listing.files;
    this.#complete ||= this.#isWholeFor(listing);
    return this.#state();
  }

  async #read(file: string, stamp: string): Promise<void> {
    const result = await readStable(file, stamp);
    if (result.kind === "Unreadable") this.#unread.set(file, result.code);
    if (result.kind !== "Text" && result.kind !== "Wrong") return;
    const read = result.kind === "Text" ? parseManifests(result.text, file) : unparsed(file, result.message);
    this.#contents.set(file, afterRead(this.#contents.get(file), read));
    this.#readStamps.set(file, stamp);
  }

  /**
   * A file is gone when its folder could be listed twice and did not hold it: some editors write a file by moving the old
   * one away first. One that cannot be read is not gone.
   */
  #forgetDeleted({ files, unreadable }: Listing): void {
    for (const file of this.#contents.keys()) {
      if (files.has(file) || this.#seenStamps.has(file) || [...unreadable.keys()].some((path) => isWithin(file, path)))
        continue;
      this.#contents.delete(file);
      this.#readStamps.delete(file);
    }
  }

  #isWholeFor({ files, unreadable }: Listing): boolean {
    const known = (path: string) => this.#contents.has(path);
    return [...files.keys(), ...unreadable.keys()].every(known);
  }

  #state(): SourceState {
    const inOrder = new Map([...this.#contents].sort(([a], [b]) => (a < b ? -1 : 1)));
    const { records, problems } = collect(inOrder);
    const unread: ManifestProblem[] = [...this.#unread].map(([file, code]) => ({
      file,
      message: `cannot be read (${code}): what it held stays`,
    }));
    return { complete: this.#complete, records, problems: [...problems, ...unread].map(formatProblem).sort() };
  }
}

const isWithin = (file: string, path: string) => file === path || file.startsWith(`${path}/`);
