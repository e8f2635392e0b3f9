import type { NetworkInterfaceInfo } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { type Child, type ChildHooks, startChild } from "./child-process.ts";
import type { Ports } from "./options.ts";
import { HOST } from "./plan.ts";

/** The cluster that the local stack registers at its edge. */
export const CLUSTER = "local";
const MINUTE_MS = 60_000;
/** In the documentation prefix (RFC 3849): nothing ever answers. */
const UNREACHABLE = "[2001:db8::1]:9";

/** How the edge runs on this machine. */
export type EdgePlan = {
  /** Wrangler's configuration; absent for that of the product. */
  config?: string;
  port: number;
  /** Folder of the objects' storage. */
  state: string;
  /** Settings of the Worker, by the names of workers/settings.ts. */
  settings: Record<string, string>;
};

/** Starts the edge in a child process; ready when it serves. The port must be free: see ports.ts. */
export function startEdge(plan: EdgePlan, hooks: ChildHooks): Promise<Child> {
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: process.env.HOME ?? "",
    EDGE_PLAN: JSON.stringify(plan),
    // Nothing here needs the internet, and nothing is written outside the state folder.
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_SEND_ERROR_REPORTS: "false",
    WRANGLER_LOG: "none",
    WRANGLER_LOG_PATH: join(plan.state, "..", "wrangler.log"),
    XDG_CONFIG_HOME: join(plan.state, "..", "wrangler"),
  };
  return startChild("edge", env, hooks);
}

/** How the agent runs on this machine. */
type AgentPlan = {
  ports: Pick<Ports, "agent" | "dns">;
  edgeUrl: string;
  secret: string;
  records: string;
  /** State file. */
  state: string;
  edgeStaleAfterMs: number;
};

/** Starts the agent in a child process, configured by its environment; ready when it serves. */
export function startAgent(plan: AgentPlan, hooks: ChildHooks): Promise<Child> {
  const env = {
    PATH: process.env.PATH ?? "",
    VEDETTE_RECORDS: plan.records,
    VEDETTE_EDGE_URL: plan.edgeUrl,
    VEDETTE_CLUSTER: CLUSTER,
    VEDETTE_SECRET: plan.secret,
    VEDETTE_STATE: plan.state,
    VEDETTE_WEBHOOK_ADDRESS: HOST,
    VEDETTE_WEBHOOK_PORT: `${plan.ports.agent}`,
    VEDETTE_DNS_ADDRESS: HOST,
    VEDETTE_DNS_PORT: `${plan.ports.dns}`,
    VEDETTE_EDGE_STALE_AFTER: `${plan.edgeStaleAfterMs}ms`,
  };
  return startChild("agent", env, hooks);
}

/** Calls the Worker's scheduled handler each minute, since the local runtime does not. Returns the function that stops it. */
export function startCron(edgeUrl: string, onError: (message: string) => void): () => void {
  const timer = setInterval(() => {
    callScheduled(edgeUrl).catch((error: Error) => onError(`cron: ${error.message}`));
  }, MINUTE_MS);
  return () => clearInterval(timer);
}

/** Calls the scheduled handler once, as cron does. Throws when the edge refuses. */
export async function callScheduled(edgeUrl: string): Promise<void> {
  const response = await fetch(`${edgeUrl}/cdn-cgi/local/scheduled`, { signal: AbortSignal.timeout(MINUTE_MS) });
  const text = await response.text();
  if (!response.ok) throw new Error(`the scheduled handler answered ${response.status}: ${text.slice(0, 200)}`);
}

/**
 * The setting `CANARIES` of the local edge. The stack's own port needs no internet: if even that does not answer, the fault is the
 * prober's. A machine whose only IPv6 address is loopback gets an unreachable IPv6 canary too. It fails, so leaves behind IPv6 are not
 * blamed.
 */
export function canaries(ownPort: string, interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>): string {
  const addresses = Object.values(interfaces).flatMap((one) => one ?? []);
  const hasIPv6 = addresses.some(({ family, internal, address }) => {
    return family === "IPv6" && !internal && !address.toLowerCase().startsWith("fe80:");
  });
  return hasIPv6 ? ownPort : `${ownPort},${UNREACHABLE}`;
}

type Registration = { hosts: string[]; webhookUrl: string };

/**
 * Registers the cluster at the edge and returns its webhook secret. A cluster of an earlier run is kept, with its state at the edge, if
 * its secret is known and nothing else changed. Otherwise it is deleted and registered again.
 */
export async function registerCluster(
  edgeUrl: string,
  adminToken: string,
  registration: Registration,
  knownSecret: string | undefined,
): Promise<string> {
  const call = (method: string, path: string, body?: object) =>
    fetch(`${edgeUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const found = await call("GET", `/v1/clusters/${CLUSTER}`);
  if (found.ok) {
    const view = (await found.json()) as Partial<Registration>;
    const isSame =
      view.webhookUrl === registration.webhookUrl && JSON.stringify(view.hosts) === JSON.stringify(registration.hosts);
    if (knownSecret !== undefined && isSame) return knownSecret;
    await throwUnlessOk(await call("DELETE", `/v1/clusters/${CLUSTER}`));
  } else await found.body?.cancel();
  const made = await call("POST", "/v1/clusters", { cluster: CLUSTER, ...registration });
  await throwUnlessOk(made);
  return z.object({ secret: z.string() }).parse(await made.json()).secret;
}

async function throwUnlessOk(response: Response): Promise<void> {
  if (response.ok) return;
  const isProblem = response.headers.get("content-type")?.startsWith("application/problem+json");
  const detail = isProblem ? await response.text() : "see edge.log in the state folder";
  throw new Error(`the edge refused the cluster (${response.status}): ${detail}`);
}
