import { open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { fieldErrors, formatFieldError } from "../../shared/model/field-error.ts";
import { type State, stateSchema } from "./state.ts";

/** The result of loading: a state, nothing, or a broken file that was renamed. */
export type Loaded =
  | { kind: "State"; state: State }
  | { kind: "Nothing" }
  | { kind: "Broken"; why: string; setAside: string; clusterUid?: string };

/**
 * Reads the state file. A broken file is renamed, never deleted, and the cluster's identity is recovered from it if
 * possible.
 */
export async function loadState(path: string, nowMs: number): Promise<Loaded> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return { kind: "Nothing" };
  const read = parseState(text);
  if (typeof read !== "string") return { kind: "State", state: read };
  const setAside = `${path}.broken-${new Date(nowMs).toISOString().replaceAll(":", "-")}`;
  await rename(path, setAside);
  const clusterUid = /"clusterUid":\s*"([^"\\]{1,128})"/.exec(text)?.[1];
  return { kind: "Broken", why: read, setAside, ...(clusterUid !== undefined && { clusterUid }) };
}

function parseState(text: string): State | string {
  try {
    const json: unknown = JSON.parse(text);
    const result = stateSchema.safeParse(json);
    return result.success ? result.data : fieldErrors(result.error, json).slice(0, 3).map(formatFieldError).join("; ");
  } catch {
    return "it is no JSON";
  }
}

/** Replaces the state file atomically: after a crash at any moment it holds the old or the new state completely. */
export async function saveState(path: string, state: State): Promise<void> {
  const temporary = `${path}.tmp`;
  const file = await open(temporary, "w", 0o600);
  try {
    await file.writeFile(`${JSON.stringify(state, undefined, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  const folder = await open(dirname(path), "r");
  await folder.sync().finally(() => folder.close());
}
