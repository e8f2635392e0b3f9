import { type Agent, startAgent } from "./agent.ts";
import type { Rows } from "./count-rows.ts";
import { Driver } from "./driver.ts";
import type { Handed } from "./entry.ts";
import { type Fleet, fleetOf, json, NINE, push } from "./fleet.ts";
import { makeWorkplace, type Workerd } from "./workerd.ts";

const ADMIN_TOKEN = "only-this-bench-has-it";
const IDLE_MS = 2_000;
const SHARD = 30;

export type Say = (text: string) => void;

/** A fleet at work: the edge in workerd, its probers and its agent here. */
export interface Stage {
  fleet: Fleet;
  driver: Driver;
  agent: Agent;
  workerd: Workerd;
  /** CPU time of workerd while it is idle, ms in a second. */
  idle: number;
  /** From when the process was there to when its coordinator had answered: what it has in storage is in memory then. */
  born: Cost & { heapMb: number };
  say: Say;
}

/** What one piece of work took. `cpuMs` is without what an idle process has in that time. */
export interface Cost {
  cpuMs: number;
  wallMs: number;
}

export async function measure(stage: Pick<Stage, "workerd" | "idle">, work: () => Promise<unknown>): Promise<Cost> {
  const start = { cpu: stage.workerd.cpuMs(), at: performance.now() };
  await work();
  const wallMs = performance.now() - start.at;
  return { cpuMs: stage.workerd.cpuMs() - start.cpu - (stage.idle * wallMs) / 1_000, wallMs };
}

/** MB in use, garbage aside, of the isolate that all objects share here. */
export async function heapMb({ workerd }: Pick<Stage, "workerd">): Promise<number> {
  await json(`${workerd.url}/bench/gc`);
  return workerd.inspector.heapMb();
}

export const rowsOf = ({ workerd }: Stage) => json<Rows>(`${workerd.url}/bench/rows`);

/** What all clusters were handed together. */
export async function handedOf({ workerd, fleet }: Stage): Promise<Handed> {
  const sum: Handed = { whole: 0, inPart: 0, records: 0 };
  for (const cluster of fleet.records.keys()) {
    const { whole, inPart, records } = await json<Handed>(`${workerd.url}/bench/handed/${cluster}`);
    sum.whole += whole;
    sum.inPart += inPart;
    sum.records += records;
  }
  return sum;
}

export interface Begun {
  snapshot: Cost & { bytes: number; refused: number; heapMb: number; residentMb: number };
  assigned: Cost;
  heapBefore: number;
}

/** Raises a stage, pushes the fleet's snapshots and waits until every prober has its assignment; then plays on it. */
export async function onStage<Played>(
  size: { endpoints: number; clusters: number },
  say: Say,
  play: (stage: Stage, begun: Begun, restart: () => Promise<Stage>) => Promise<Played>,
): Promise<Played> {
  say("bundles the edge, and starts workerd");
  const [place, agent] = [await makeWorkplace(ADMIN_TOKEN), await startAgent()];
  const driver = new Driver();
  const driverUrl = await driver.listen();
  let workerd: Workerd | undefined;
  const start = async (): Promise<Stage> => {
    await workerd?.stop();
    workerd = await place.start(driverUrl);
    driver.edge = workerd.url;
    const born = await measure({ workerd, idle: 0 }, () => json(`${driver.edge}/bench/rows`));
    const heap = await heapMb({ workerd });
    const idle = await idleOf(workerd);
    return { fleet, driver, agent, workerd, idle, born: { ...born, heapMb: heap }, say };
  };
  const fleet = fleetOf(size.endpoints, size.clusters);
  try {
    const stage = await start();
    return await play(stage, await begin(stage), start);
  } finally {
    driver.close();
    workerd?.inspector.close();
    await workerd?.stop();
    await agent.stop();
    place.remove();
  }
}

async function idleOf(workerd: Workerd): Promise<number> {
  await wait(IDLE_MS);
  const before = workerd.cpuMs();
  await wait(IDLE_MS);
  return (workerd.cpuMs() - before) / (IDLE_MS / 1_000);
}

async function begin(stage: Stage): Promise<Begun> {
  const { fleet, workerd, agent, driver, say } = stage;
  const heapBefore = await heapMb(stage);
  say(`pushes ${fleet.leaves.length} leaves in ${fleet.records.size} snapshot(s)`);
  const edge = { url: workerd.url, adminToken: ADMIN_TOKEN, agentUrl: agent.url };
  const pushed = { bytes: 0, refused: 0 };
  const cost = await measure(stage, async () => {
    for (const [cluster, records] of fleet.records) {
      const { bytes, refused } = await push(edge, cluster, records);
      pushed.bytes += bytes;
      pushed.refused += refused;
    }
  });
  const residentMb = workerd.residentMb();
  const probers = Math.ceil(fleet.leaves.length / SHARD) * NINE.length;
  const assigned = await measure(stage, () => until(() => driver.probers.size >= probers, say, "assignments"));
  const snapshot = { ...cost, ...pushed, residentMb, heapMb: await heapMb(stage) };
  return { snapshot, assigned, heapBefore };
}

/** Looks ten times a second whether it is so; gives up after five minutes. */
export async function until(isSo: () => boolean, say: Say, what: string): Promise<void> {
  const start = Date.now();
  while (!isSo()) {
    if (Date.now() - start > 300_000) throw new Error(`Waited five minutes for ${what}, in vain.`);
    say(`waits for ${what}`);
    await wait(100);
  }
}

export const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
