import { readdirSync, readFileSync } from "node:fs";

/** What Linux counts CPU time in, for programs: USER_HZ, which is 100 on every architecture of today. */
const TICK_MS = 10;

/** Fields of /proc/<pid>/stat from the third on; the name before them stands in brackets and may hold anything. */
function statOf(pid: number): { name: string; fields: string[] } {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const end = stat.lastIndexOf(")");
  return { name: stat.slice(stat.indexOf("(") + 1, end), fields: stat.slice(end + 2).split(" ") };
}

/** The workerds that this process has started. Linux only. */
export function workerdsBelow(parent: number): number[] {
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return pids.filter((pid) => {
    try {
      const { name, fields } = statOf(pid);
      return name === "workerd" && Number(fields[1]) === parent;
    } catch {
      return false; // Ended while we looked.
    }
  });
}

/** CPU time that the processes have used together, in ms, to 10 ms. Linux only. */
export function cpuMs(pids: readonly number[]): number {
  const ticks = pids.map(statOf).map(({ fields }) => Number(fields[11]) + Number(fields[12]));
  return ticks.reduce((sum, one) => sum + one, 0) * TICK_MS;
}
