import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { unstable_startWorker } from "wrangler";
import type { Contender } from "./rounds.ts";
import type { HttpsPorts } from "./server.ts";

/** What Linux counts CPU time in, for programs: USER_HZ, which is 100 on every architecture of today. */
const TICK_MS = 10;

export interface Probers {
  /** A probe over HTTP, then one over HTTPS with certificates seen before, then with such as never were. */
  contenders(http: number, https: HttpsPorts): [Contender, Contender, Contender];
  stop: () => Promise<void>;
}

// Nothing of this needs the internet.
process.env.CLOUDFLARE_CF_FETCH_ENABLED = "false";
process.env.WRANGLER_SEND_METRICS = "false";

/** Starts workerd with the code of probes. CPU time is that of workerd alone. @param roots PEM */
export async function startProbers(roots: string): Promise<Probers> {
  const worker = await unstable_startWorker({
    config: join(import.meta.dirname, "wrangler.toml"),
    envFiles: [],
    bindings: { ROOTS: { type: "plain_text", value: roots } },
    dev: { server: { hostname: "127.0.0.1", port: 0 }, inspector: false, watch: false, logLevel: "none" },
  });
  await worker.ready;
  // The first answer comes from the process that stays.
  await worker.fetch("http://worker/HTTP/0/0");
  const pids = workerdsBelow(process.pid);
  const asking = (protocol: string, port: number) => async (times: number) => {
    const before = cpuMs(pids);
    const response = await worker.fetch(`http://worker/${protocol}/${port}/${times}`);
    if (!response.ok) throw new Error(`A probe failed: ${await response.text()}`);
    return cpuMs(pids) - before;
  };
  return {
    contenders: (http, { same, other }) => [
      { name: "HTTP", run: asking("HTTP", http) },
      { name: "HTTPS, seen before", run: asking("HTTPS", same) },
      { name: "HTTPS, never seen", run: asking("HTTPS", other) },
    ],
    stop: () => worker.dispose(),
  };
}

/** Fields of /proc/<pid>/stat from the third on; the name before them stands in brackets and may hold anything. */
function statOf(pid: number): { name: string; fields: string[] } {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const end = stat.lastIndexOf(")");
  return { name: stat.slice(stat.indexOf("(") + 1, end), fields: stat.slice(end + 2).split(" ") };
}

function workerdsBelow(parent: number): number[] {
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

function cpuMs(pids: readonly number[]): number {
  const ticks = pids.map(statOf).map(({ fields }) => Number(fields[11]) + Number(fields[12]));
  return ticks.reduce((sum, one) => sum + one, 0) * TICK_MS;
}
