import { join } from "node:path";
import { unstable_startWorker } from "wrangler";
import { cpuMs, workerdsBelow } from "./cpu.ts";
import type { Contender } from "./rounds.ts";
import type { HttpsPorts } from "./server.ts";

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
