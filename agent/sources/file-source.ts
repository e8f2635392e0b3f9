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
  /** Whether everything was read once. Until then an empty `records` does not mean that there are none. */
  complete: boolean;
  records: readonly OwnRecord[];
  /** One line each, sorted. */
  problems: readonly string[];
  /** Records of which no accepted form is known. Only API records have them. */
  refused?: readonly RefusedRecord[];
}

/**
 * Identifies the part of the state that matters for DNS and snapshots. It contains secrets, so it must stay in memory.
 */
export function stateKey({ complete, records }: SourceState): string {
  return JSON.stringify([complete, records]);
}

/**
 * The records of this cluster, from files. They are polled, since watching misses changes on some mounts: ConfigMaps
 * swap links and NFS sends no events. A poll costs one `stat` for each file. A file is read once it did not change
 * between two polls.
 */
export class ManifestSource {
  readonly #paths: readonly string[];
  readonly #contents: Map<string, FileContent>;
  readonly #readStamps = new Map<string, string>();
  #seenStamps: ReadonlyMap<string, string> = new Map();
  #unread = new Map<string, string>();
  #complete = false;
  #turn: Promise<unknown> = Promise.resolve();

  /**
   * @param remembered the content of the files as a former process read it; without it an unreadable file would count
   * as empty
   */
  constructor(paths: readonly string[], remembered: ReadonlyMap<string, FileContent>) {
    this.#paths = paths;
    this.#contents = new Map(remembered);
  }

  /** Reads the files that changed. With `atOnce` it also reads files that changed since the last poll. */
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
   * A file counts as deleted if two listings of its folder lack it, since some editors move the old file away before
   * they write. An unreadable file does not count as deleted.
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
  /** Absolute paths, sorted, each with a stamp that changes with the file. */
  files: ReadonlyMap<string, string>;
  /** The paths that could not be read, with the system's error code. */
  unreadable: ReadonlyMap<string, string>;
}

/**
 * Lists the manifest files at the given files and folders: `.yaml`, `.yml` and `.json` files, but no dot files, state
 * files or subfolders. Unreadable paths are listed apart from empty ones.
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
 * The text of a file, or why it has none. `Wrong` is an error of the author, `Unreadable` one of the system. `Changing`
 * was written meanwhile, so that the text could be a mixture.
 */
export type FileText =
  | { kind: "Text"; text: string }
  | { kind: "Wrong"; message: string }
  | { kind: "Unreadable"; code: string }
  | { kind: "Changing" | "Gone" };

/** Reads a file, provided that it still has this stamp. */
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
