import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listProcesses, type Process } from "./process-table.ts";

/** Who runs in a state folder, and which process groups it started: workerd outlives a killed parent. */
type Entry = { pid: number; started: string; groups: number[] };

type Claim = { addGroup(group: number): void; release(): void };

export const PID_FILE = "stack.json";

/** Commands that belong to a stack: a group whose number was given to something else is left alone. */
const OURS = /workerd|esbuild|local\/[a-z-]+\.ts/;

/**
 * Takes the folder for this process. `runningAs` is the id of another stack that has it. What a killed stack left
 * behind is ended first.
 */
export function claim(folder: string): Claim | { runningAs: number } {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, PID_FILE);
  const processes = listProcesses();
  const found = read(path);
  const holder = processes.find(({ pid, started }) => pid === found?.pid && started === found.started);
  if (holder !== undefined && holder.pid !== process.pid) return { runningAs: holder.pid };
  rmSync(path, { force: true });
  const entry: Entry = { pid: process.pid, started: startOf(processes), groups: [] };
  if (!placed(path, entry)) return { runningAs: read(path)?.pid ?? 0 };
  endLeftovers(found?.groups ?? [], processes);
  return {
    addGroup(group) {
      entry.groups.push(group);
      writeFileSync(path, JSON.stringify(entry));
    },
    release: () => rmSync(path, { force: true }),
  };
}

/** Puts the file there whole; false where another stack, started in the same moment, was first. */
function placed(path: string, entry: Entry): boolean {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(entry));
  try {
    linkSync(draft, path);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
}

function read(path: string): Entry | undefined {
  try {
    const entry = JSON.parse(readFileSync(path, "utf8")) as Entry;
    return Array.isArray(entry?.groups) ? entry : undefined;
  } catch {
    return undefined; // Absent, or cut off by a crash.
  }
}

const startOf = (processes: readonly Process[]) => processes.find(({ pid }) => pid === process.pid)?.started ?? "";

function endLeftovers(groups: readonly number[], processes: readonly Process[]): void {
  const left = processes.filter(({ group, command }) => groups.includes(group) && OURS.test(command));
  for (const { pid } of left) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Ended by itself meanwhile.
    }
  }
}
