import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { freePort } from "../../support/free-port.ts";
import { Daemon } from "./daemon.ts";
import type { TestEdge } from "./edge.ts";
import { guard } from "./guard.ts";

const HOST = "127.0.0.1";
const AGENT = join(import.meta.dirname, "..", "..", "..", "agent", "main.ts");

/** The agent of another cluster, which has its records in a file and answers DNS itself. */
interface FileAgent extends AsyncDisposable {
  dns: { host: string; port: number };
  process: Daemon;
}

export async function startFileAgent(
  edge: TestEdge,
  cluster: string,
  hosts: readonly string[],
  records: readonly object[],
): Promise<FileAgent> {
  const folder = mkdtempSync(join(tmpdir(), "vedette-other-"));
  const release = guard({ folder });
  const [webhookPort, dnsPort] = [await freePort(), await freePort()];
  const file = join(folder, "records.yaml");
  writeFileSync(file, records.map((one) => stringify(one)).join("---\n"));
  const settings: Record<string, string> = {
    RECORDS: file,
    EDGE_URL: edge.url,
    CLUSTER: cluster,
    SECRET: await edge.register(cluster, hosts, `http://${HOST}:${webhookPort}/v1/delivery`),
    WEBHOOK_PORT: `${webhookPort}`,
    DNS_PORT: `${dnsPort}`,
  };
  const process = new Daemon({
    name: cluster,
    binary: globalThis.process.execPath,
    args: [AGENT],
    folder,
    isReady: async () => (await fetch(`http://${HOST}:${webhookPort}/healthz`)).ok,
    env: Object.fromEntries(Object.entries(settings).map(([name, value]) => [`VEDETTE_${name}`, value])),
  });
  const stop = async () => {
    await process.stop();
    rmSync(folder, { recursive: true, force: true });
    release();
  };
  try {
    await process.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { dns: { host: HOST, port: dnsPort }, process, [Symbol.asyncDispose]: stop };
}
