import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { Child } from "../../../local/child-process.ts";
import { callScheduled, startEdge } from "../../../local/parts.ts";
import { type RecordStatus, recordStatus } from "../../../shared/model/status.ts";
import { freePort } from "../../support/free-port.ts";

const HOST = "127.0.0.1";
const CRON_MS = 10_000;

export interface TestEdge {
  url: string;
  /** Registers a cluster that may name these hosts, and gives its webhook secret. Without a URL its agent asks. */
  register(cluster: string, hosts: readonly string[], webhookUrl?: string): Promise<string>;
  /** What an administrator's GET answers, as JSON. */
  read(path: string): Promise<unknown>;
  /** How the edge sees a root host; undefined where it does not know it, or does not answer. */
  record(rootHost: string): Promise<RecordStatus | undefined>;
  log(): string;
  /** Ends it; its storage stays for `start`. */
  halt(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The edge as it is deployed, in real workerd, allowed to probe this machine. Settings by the names of workers/settings.ts. */
export async function startTestEdge(settings: Record<string, string> = {}): Promise<TestEdge> {
  const folder = mkdtempSync(join(tmpdir(), "vedette-edge-"));
  const state = join(folder, "edge");
  mkdirSync(state);
  const port = await freePort();
  const url = `http://${HOST}:${port}`;
  const adminToken = randomBytes(24).toString("base64url");
  const given = {
    ADMIN_TOKEN: adminToken,
    HEADER_KEY: randomBytes(32).toString("base64"),
    ALLOW_PRIVATE_ADDRESSES: "true",
    CANARIES: "",
    COLO_URL: "",
    ...settings,
  };
  const hooks = { logFile: join(folder, "edge.log"), onGroup: () => {}, onWarning: () => {} };
  let child: Child | undefined;
  const start = async () => {
    child = await startEdge({ port, state, settings: given }, hooks);
    await callScheduled(url);
  };
  const halt = async () => {
    await child?.stop();
    child = undefined;
  };
  await start();
  // Locally nothing calls the scheduled handler; while the edge is halted there is nobody to call.
  const cron = setInterval(() => void callScheduled(url).catch(() => {}), CRON_MS);
  const call = (method: string, path: string, body?: object) =>
    fetch(`${url}${path}`, {
      method,
      // Over a connection of its own: a server ends those that are idle, at times just as one is used again.
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json", connection: "close" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const read = async (path: string) => (await call("GET", path)).json();
  return {
    url,
    async register(cluster, hosts, webhookUrl) {
      const answer = await call("POST", "/v1/clusters", { cluster, hosts, ...(webhookUrl && { webhookUrl }) });
      return z.object({ secret: z.string() }).parse(await answer.json()).secret;
    },
    read,
    record: async (rootHost) =>
      recordStatus.safeParse(await read(`/v1/records/${encodeURIComponent(rootHost)}`).catch(() => undefined)).data,
    log: () => readFileSync(hooks.logFile, "utf8"),
    halt,
    start,
    async stop() {
      clearInterval(cron);
      await halt();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
