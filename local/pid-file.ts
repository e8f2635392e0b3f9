import { execFileSync } from "node:child_process";
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The process that runs in a state folder, and the process groups that it started: workerd outlives a killed parent. */
type Entry = { pid: number; started: string; groups: number[] };

type Claim = { addGroup(group: number): void; release(): void };

export const PID_FILE = "stack.json";

/** Commands of a stack. A group whose number belongs to another program by now is left alone. */
const OURS = /workerd|esbuild|local\/[a-z-]+\.ts/;

/**
 * Claims the folder for this process. `runningAs` is the id of another stack that holds it. Ends what a killed stack left
 * behind.
 */
export function claim(folder: string): Claim | { runningAs: number } {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, PID_FILE);
  const processes = listProcesses();
  const found = read(path);
  const holder = processes.find(({ pid, started }) => pid === found?.pid && started === found.started);
  if (holder !== undefined && holder.pid !== process.pid) return { runningAs: holder.pid };
  rmSync(path, { force: true });
  const started = processes.find(({ pid }) => pid === process.pid)?.started ?? "";
  const entry: Entry = { pid: process.pid, started, groups: [] };
  if (!writeOnce(path, entry)) return { runningAs: read(path)?.pid ?? 0 };
  for (const { pid, group, command } of processes) if (found?.groups.includes(group) && OURS.test(command)) kill(pid);
  return {
    addGroup(group) {
      entry.groups.push(group);
      writeFileSync(path, JSON.stringify(entry));
    },
    release: () => rmSync(path, { force: true }),
  };
}

/** Creates the whole file at once. Returns false if another stack, started at the same moment, was first. */
function writeOnce(path: string, entry: Entry): boolean {
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

/** Kills a process, or with a negative id a process group. One that has ended already is no error. */
export function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** A running process, not a zombie. `started` distinguishes it from a later one with the same id. */
export type Process = { pid: number; group: number; started: string; command: string };

/** All processes that this user can see: from /proc if it exists, otherwise from `ps`. */
export function listProcesses(): Process[] {
  return existsSync("/proc/self/stat") ? fromProc() : fromPs();
}

function fromProc(): Process[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProc(Number(name)))
    .filter((found) => found !== undefined);
}

function readProc(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command name is in brackets and may hold anything. Only numbers follow the last bracket.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z") return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    return { pid, group: Number(fields[2]), started: fields[19] ?? "", command };
  } catch {
    return undefined; // It has just ended.
  }
}

function fromPs(): Process[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,pgid=,state=,lstart=,args="], { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => {
    const parts = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(\S+ \S+\s+\S+ \S+ \S+)\s+(.*)$/.exec(line);
    if (parts === null || parts[3]?.startsWith("Z")) return [];
    return [{ pid: Number(parts[1]), group: Number(parts[2]), started: parts[4] ?? "", command: parts[5] ?? "" }];
  });
}
