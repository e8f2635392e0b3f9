import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ChildHooks, endGroup } from "../../../local/child-process.ts";
import { callScheduled, registerCluster, startAgent, startCron, startEdge } from "../../../local/parts.ts";
import { listProcesses } from "../../../local/pid-file.ts";
import { HOST } from "../../../local/plan.ts";
import { makeGatewayIdentities } from "../../../local/sample-gateways.ts";
import type { Overview } from "../../../shared/model/overview.ts";
import type { UsageView } from "../../../shared/model/usage-view.ts";
import { freePort } from "../../support/free-port.ts";
import type { Case } from "./cases.ts";
import type { Counts } from "./counts.ts";
import { HOSTS, recordsOf } from "./fleet.ts";
import { type Gateways, startGateways } from "./gateways.ts";

/** What Linux counts CPU time in, for programs: USER_HZ. */
const TICK_MS = 10;
const EDGE_STALE_AFTER_MS = 300_000;

/** A fleet that is watched: gateways, the counted edge with cron, and the agent. */
export interface Stand {
  gateways: Gateways;
  counts(): Promise<Counts>;
  overview(): Promise<Overview>;
  /** What the product's own meter says. */
  usage(): Promise<UsageView>;
  /** CPU time of workerd since it was started, in milliseconds; 0 where that cannot be read. */
  cpuMs(): number;
  stop(): Promise<void>;
}

interface StandPlan {
  delayMs: number;
  together: number;
}

/** Starts everything for one case. If a part fails to start, everything is stopped again. */
export async function startStand(one: Case, plan: StandPlan): Promise<Stand> {
  const closers = new AsyncDisposableStack();
  try {
    return await bringUp(one, plan, closers);
  } catch (error) {
    await closers.disposeAsync();
    throw error;
  }
}

async function bringUp(one: Case, { delayMs, together }: StandPlan, closers: AsyncDisposableStack): Promise<Stand> {
  const folder = mkdtempSync(join(tmpdir(), "vedette-price-"));
  closers.defer(() => rmSync(folder, { recursive: true, force: true }));
  const { authority, good } = await makeGatewayIdentities(HOSTS, Date.now());
  const gateways = await startGateways({ ...good, delayMs });
  closers.defer(() => gateways.stop());
  const [edge, agent, dns] = [await freePort(), await freePort(), await freePort()];
  const edgeUrl = `http://${HOST}:${edge}`;
  const adminToken = randomBytes(24).toString("base64url");
  const groups = new Set<number>();
  const hooks = (name: string): ChildHooks => ({
    logFile: join(folder, `${name}.log`),
    onGroup: (group) => groups.add(group),
    onWarning: () => undefined,
  });
  closers.defer(() => groups.forEach(endGroup));
  const child = await startEdge(edgePlan({ folder, port: edge, adminToken, authority, together }), hooks("edge"));
  closers.defer(() => child.stop());
  closers.defer(startCron(edgeUrl, () => undefined));
  await callScheduled(edgeUrl);
  const registration = { hosts: HOSTS, webhookUrl: `http://${HOST}:${agent}/v1/delivery` };
  const secret = await registerCluster(edgeUrl, adminToken, registration, undefined);
  const records = join(folder, "records.yaml");
  writeFileSync(records, recordsOf(one, gateways.port));
  const ports = { edge, agent, dns, control: 0, gateway: gateways.port };
  const where = { edgeUrl, state: join(folder, "agent.json"), edgeStaleAfterMs: EDGE_STALE_AFTER_MS };
  const running = await startAgent({ ...where, ports, secret, records }, hooks("agent"));
  closers.defer(() => running.stop());
  const read = async <Answer>(path: string): Promise<Answer> => {
    const headers = { authorization: `Bearer ${adminToken}` };
    const response = await fetch(`${edgeUrl}${path}`, { headers, signal: AbortSignal.timeout(30_000) });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Answer;
  };
  return {
    gateways,
    counts: () => read("/bench/counts"),
    overview: () => read("/v1/overview"),
    usage: () => read("/v1/usage"),
    cpuMs: () => cpuMsOf(child.pid),
    stop: () => closers.disposeAsync(),
  };
}

function edgePlan(own: { folder: string; port: number; adminToken: string; authority: string; together: number }) {
  const state = join(own.folder, "edge");
  mkdirSync(state);
  return {
    config: join(import.meta.dirname, "wrangler.toml"),
    port: own.port,
    state,
    settings: {
      ADMIN_TOKEN: own.adminToken,
      HEADER_KEY: randomBytes(32).toString("base64"),
      ALLOW_PRIVATE_ADDRESSES: "true",
      // The edge's own door. If not even that answers, the fault is this machine's.
      CANARIES: `${HOST}:${own.port}`,
      COLO_URL: "",
      DIALS_TOGETHER: `${own.together}`,
      EXTRA_ROOTS: own.authority,
    },
  };
}

function cpuMsOf(group: number): number {
  const own = listProcesses().filter((one) => one.group === group && one.command.includes("workerd"));
  const ticks = own.map(({ pid }) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return Number(fields[11]) + Number(fields[12]);
    } catch {
      return 0; // No Linux, or it has ended.
    }
  });
  return ticks.reduce((sum, one) => sum + one, 0) * TICK_MS;
}
