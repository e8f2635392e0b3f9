import { setTimeout as pause } from "node:timers/promises";
import type { Objects, Usage } from "../../../shared/model/usage.ts";
import type { UsageView } from "../../../shared/model/usage-view.ts";
import { addUsage, byObjects } from "../../../shared/usage/tally.ts";
import { difference, type Month, monthOf } from "./bill.ts";
import { type Case, nameOf, type State } from "./cases.ts";
import type { Counts } from "./counts.ts";
import type { Trouble } from "./gateways.ts";
import { type Stand, startStand } from "./stand.ts";

export interface MeasurePlan {
  /** Of one exchange, in milliseconds. */
  delayMs: number;
  /** The setting DIALS_TOGETHER. */
  together: number;
  /** Of the window in which is counted. */
  minutes: number;
}

export interface Measured {
  case: Case;
  used: Counts;
  /** The same by the product's own meter; absent where a UTC day ended meanwhile. */
  metered: Record<Objects, Usage> | undefined;
  windowS: number;
  month: Month;
  /** How late an alarm was on average, in milliseconds: where it is much, this machine was the bottleneck. */
  lateMs: number;
  /** CPU of workerd for one check, all that belongs to it included. */
  checkCpuMs: number;
  /** How often an endpoint began or ceased to fail within the window. */
  flips: number;
}

const TROUBLED_PART = 0.05;
/** A coordinator writes more in the first minute, and a cluster has its first delivery then. */
const WARM_UP_MS = 75_000;
const PROVE_LIMIT_MS = 240_000;
const LOOK_MS = 5_000;

/** Starts a fleet, lets it come to rest, and counts what it uses for whole minutes that are whole rounds too. */
export async function measure(one: Case, plan: MeasurePlan, say: (text: string) => void): Promise<Measured> {
  say(`${nameOf(one)}: starts`);
  const stand = await startStand(one, plan);
  try {
    const startedAt = Date.now();
    await untilAll(stand, "Healthy", say, nameOf(one));
    const trouble = troubleOf(one);
    if (one.state !== "flapping") stand.gateways.set(trouble);
    const settledAt = Date.now() + (trouble === undefined ? 0 : one.intervalS * 4_000 + 10_000);
    say(`${nameOf(one)}: comes to rest`);
    await pause(Math.max(startedAt + WARM_UP_MS, settledAt) - Date.now());
    const flapping = one.state === "flapping" ? flap(stand, trouble, one.intervalS) : undefined;
    // The first turn belongs to no window.
    if (flapping !== undefined) await pause(one.intervalS * 2_000);
    say(`${nameOf(one)}: counts for ${plan.minutes} min`);
    return await count(one, stand, plan, flapping);
  } finally {
    await stand.stop();
  }
}

async function count(one: Case, stand: Stand, plan: MeasurePlan, flapping?: Flapping): Promise<Measured> {
  const windowS = plan.minutes * 60;
  const meterBefore = await stand.usage();
  const [before, cpuBefore, flipsBefore] = [await stand.counts(), stand.cpuMs(), flapping?.flips() ?? 0];
  await pause(windowS * 1_000);
  const [after, cpuAfter, flipsAfter] = [await stand.counts(), stand.cpuMs(), flapping?.flips() ?? 0];
  const metered = sinceThen(await stand.usage(), meterBefore);
  flapping?.stop();
  const used = difference(after, before);
  const checks = (windowS / one.intervalS) * one.endpoints * one.regions;
  const checkCpuMs = (cpuAfter - cpuBefore) / checks;
  const { alarmLateMs, alarms } = used.objects.Prober;
  const month = monthOf(used, windowS, checkCpuMs);
  const [lateMs, flips] = [alarmLateMs / alarms, flipsAfter - flipsBefore];
  return { case: one, used, metered, windowS, month, lateMs, checkCpuMs, flips };
}

function sinceThen({ today: after }: UsageView, { today: before }: UsageView): Measured["metered"] {
  if (after.since !== before.since) return undefined;
  const used = byObjects(after);
  for (const { objects, used: earlier } of byObjects(before)) {
    const one = used.find((other) => other.objects === objects)?.used;
    if (one !== undefined) addUsage(one, earlier, -1);
  }
  return Object.fromEntries(used.map(({ objects, used: one }) => [objects, one])) as Record<Objects, Usage>;
}

function troubleOf({ endpoints, state }: Case): Trouble | undefined {
  const some = Math.max(1, Math.round(endpoints * TROUBLED_PART));
  const troubles: Record<State, Trouble | undefined> = {
    healthy: undefined,
    failing5: { count: some, kind: "status" },
    failing: { count: endpoints, kind: "status" },
    hanging5: { count: some, kind: "hang" },
    flapping: { count: some, kind: "status" },
  };
  return troubles[state];
}

interface Flapping {
  flips(): number;
  stop(): void;
}

function flap({ gateways }: Stand, trouble: Trouble | undefined, intervalS: number): Flapping {
  let flips = 0;
  let isDown = false;
  const turn = () => {
    isDown = !isDown;
    gateways.set(isDown ? trouble : undefined);
    flips += trouble?.count ?? 0;
  };
  turn();
  const timer = setInterval(turn, intervalS * 1_000);
  return { flips: () => flips, stop: () => clearInterval(timer) };
}

async function untilAll(stand: Stand, state: string, say: (text: string) => void, name: string): Promise<void> {
  const limitAt = Date.now() + PROVE_LIMIT_MS;
  for (;;) {
    await pause(LOOK_MS);
    const { records } = await stand.overview();
    const there = records.filter((record) => record.state === state).length;
    if (records.length > 0 && there === records.length) return;
    say(`${name}: ${there} of ${records.length} records are ${state}`);
    if (Date.now() > limitAt) throw new Error(`${name}: not all records became ${state} in time`);
  }
}
