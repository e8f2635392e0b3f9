import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** A process that runs (a zombie does not). `started` tells it from a later one with the same id. */
export type Process = { pid: number; group: number; started: string; command: string };

/** All processes that this user can see: from /proc where there is one, else from `ps`. */
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
    // The command name stands in brackets and may hold anything; what follows the last bracket is numbers.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z") return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    return { pid, group: Number(fields[2]), started: fields[19] ?? "", command };
  } catch {
    return undefined; // Ended while we looked.
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
