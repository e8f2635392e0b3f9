import { isUtf8 } from "node:buffer";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";

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
