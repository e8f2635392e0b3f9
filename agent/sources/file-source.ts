import { isUtf8 } from "node:buffer";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { RefusedRecord } from "./api-records.ts";
import {
  type FileContent,
  formatProblem,
  type ManifestProblem,
  mergeFiles,
  mergeReread,
  type OwnRecord,
  parseManifests,
  unparsed,
} from "./manifest-file.ts";

export interface SourceState {
  /** False until everything was read once. Until then `records` says nothing, least of all that there are none. */
  complete: boolean;
  records: readonly OwnRecord[];
  /** One line each, sorted. */
  problems: readonly string[];
  /** Records of which no accepted form is known. Only API records have them. */
  refused?: readonly RefusedRecord[];
}

/** What of the source matters for DNS and snapshots, secrets included: compared in memory only. */
export function stateKey({ complete, records }: SourceState): string {
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
    this.#contents.set(file, mergeReread(this.#contents.get(file), read));
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
    const { records, problems } = mergeFiles(inOrder);
    const unread: ManifestProblem[] = [...this.#unread].map(([file, code]) => ({
      file,
      message: `cannot be read (${code}): what it held stays`,
    }));
    return { complete: this.#complete, records, problems: [...problems, ...unread].map(formatProblem).sort() };
  }
}

const isWithin = (file: string, path: string) => file === path || file.startsWith(`${path}/`);

const MANIFEST = /^[^.].*\.(ya?ml|json)$/;
const STATE_FILE = /\.state\.json$/;
const MAX_FILE_BYTES = 8 * 1024 * 1024;

export interface Listing {
  /** Absolute paths, sorted, with a stamp that changes when the file does. */
  files: ReadonlyMap<string, string>;
  /** What could not be listed or looked at, and the system's error code. */
  unreadable: ReadonlyMap<string, string>;
}

/**
 * The manifest files of the given files and folders (their own `.yaml`, `.yml` and `.json`; no dot files, no state files).
 * A path that cannot be read is told apart from one that holds nothing.
 */
export async function listFiles(paths: readonly string[]): Promise<Listing> {
  const files = new Map<string, string>();
  const unreadable = new Map<string, string>();
  for (const path of paths.map((given) => resolve(given))) {
    try {
      for (const file of await filesAt(path)) files.set(file, "");
    } catch (error) {
      unreadable.set(path, codeOf(error));
    }
  }
  for (const file of files.keys()) {
    try {
      files.set(file, await stampOf(file));
    } catch (error) {
      files.delete(file);
      if (codeOf(error) !== "ENOENT") unreadable.set(file, codeOf(error));
    }
  }
  return { files: new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1))), unreadable };
}

async function filesAt(path: string): Promise<string[]> {
  const found = await stat(path);
  if (!found.isDirectory()) return [path];
  const names = await readdir(path);
  return names.filter((name) => MANIFEST.test(name) && !STATE_FILE.test(name)).map((name) => join(path, name));
}

async function stampOf(file: string): Promise<string> {
  const { size, mtimeNs, ino } = await stat(file, { bigint: true });
  return `${size} ${mtimeNs} ${ino}`;
}

/**
 * A file's text, or why there is none. `Wrong` is the writer's doing, `Unreadable` the system's; `Changing` was written to
 * meanwhile, so that the text could be half of two.
 */
export type FileText =
  | { kind: "Text"; text: string }
  | { kind: "Wrong"; message: string }
  | { kind: "Unreadable"; code: string }
  | { kind: "Changing" | "Gone" };

/** Reads a file as it was when it had this stamp. */
export async function readStable(file: string, stamp: string): Promise<FileText> {
  try {
    const { size } = await stat(file);
    if (size > MAX_FILE_BYTES)
      return { kind: "Wrong", message: `has ${size} bytes; at most ${MAX_FILE_BYTES} are read` };
    const bytes = await readFile(file);
    if ((await stampOf(file)) !== stamp) return { kind: "Changing" };
    return isUtf8(bytes) ? { kind: "Text", text: bytes.toString() } : { kind: "Wrong", message: "is no UTF-8 text" };
  } catch (error) {
    const code = codeOf(error);
    return code === "ENOENT" ? { kind: "Gone" } : { kind: "Unreadable", code };
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? "unknown error";
