import type { Report } from "../../../shared/model/messages/report.ts";
import type { Rows } from "./count-rows.ts";
import type { Sent } from "./driver.ts";
import type { Handed } from "./entry.ts";
import { FAILURE_THRESHOLD, json, QUORUM } from "./fleet.ts";
import { type Cost, handedOf, measure, rowsOf, type Stage, until, wait } from "./stage.ts";

/** Enough reports that a tick of 10 ms is nothing beside them. */
const FLOOD_REPORTS = 3_000;
/** Rounds after which every region is proven, and one of the coordinator's first minute is over. */
const WARM_ROUNDS = 3;

export interface Flood {
  reports: number;
  report: Cost;
  /** The same reports to an object that drops them. */
  sink: Cost;
  rows: Rows;
  heartbeat: Cost;
}

/** As many reports as are taken, one after the other, all well: what a report costs. */
export async function flood(stage: Stage): Promise<Flood> {
  const { driver, workerd, say } = stage;
  say("warms up");
  const start = Date.now();
  await driver.flood("report", WARM_ROUNDS);
  // In its first minute a coordinator writes a row with each report; one without calls for ten seconds starts again.
  while (Date.now() - start < 61_000) {
    say(`goes through the coordinator's first minute: ${Math.round((Date.now() - start) / 1_000)} s`);
    await driver.flood("report", 1);
    await wait(2_000);
  }
  await json(`${workerd.url}/bench/heartbeat`);
  const times = Math.max(1, Math.round(FLOOD_REPORTS / driver.probers.size));
  // Code that has run often is another than code that has just begun to.
  if (times > 1) for (const to of ["sink", "report"] as const) await driver.flood(to, Math.ceil(times / 3));
  say("sends reports as fast as they are taken");
  const sink = await measure(stage, () => driver.flood("sink", times));
  const before = await rowsOf(stage);
  let reports = 0;
  const report = await measure(stage, async () => {
    reports = await driver.flood("report", times);
  });
  const after = await rowsOf(stage);
  const rows = { read: after.read - before.read, written: after.written - before.written };
  const beats = 5;
  const five = await measure(stage, async () => {
    for (let count = 0; count < beats; count += 1) await json(`${workerd.url}/bench/heartbeat`);
  });
  return { reports, report, sink, rows, heartbeat: { cpuMs: five.cpuMs / beats, wallMs: five.wallMs / beats } };
}

export interface Steady extends Cost {
  sent: readonly Sent[];
  rows: Rows;
  failed: number;
  residentMb: number;
}

/** The probers at their own pace, each in its phase, with a heartbeat in the middle. */
export async function steady(stage: Stage, forMs: number): Promise<Steady> {
  const { driver, workerd, say } = stage;
  const before = await rowsOf(stage);
  driver.sent = [];
  driver.failed = 0;
  driver.start();
  const cost = await measure(stage, async () => {
    for (let at = 0; at < forMs; at += 1_000) {
      say(`all is well: ${Math.round((forMs - at) / 1_000)} s to go, ${driver.sent.length} reports taken`);
      if (at === Math.floor(forMs / 2_000) * 1_000) void json(`${workerd.url}/bench/heartbeat`);
      await wait(1_000);
    }
  });
  const after = await rowsOf(stage);
  const rows = { read: after.read - before.read, written: after.written - before.written };
  return { ...cost, sent: driver.sent, rows, failed: driver.failed, residentMb: workerd.residentMb() };
}

export interface Storm extends Cost {
  leaves: number;
  sent: readonly Sent[];
  failed: number;
  looks: number;
  deliveries: number;
  /** Of the largest delivery. */
  bytes: number;
  /** Of one record in a delivery, about. */
  bytesOfRecord: number;
  handed: Handed;
  /** From when a leaf died to when a delivery without it was there, ms. */
  untilDelivered: number[];
  /** The same from when the report was sent that made the quorum whole. */
  sinceQuorum: number[];
  residentMb: number;
  rows: Rows;
}

/** These leaves die at once, while the probers are at their own pace; it ends when the agent has received the last. */
export async function storm(stage: Stage, leaves: ReadonlySet<string>, what: string): Promise<Storm> {
  const { driver, agent, workerd, say } = stage;
  const quorum = new Quorums(leaves);
  driver.onReport = (report) => quorum.note(report);
  driver.sent = [];
  driver.failed = 0;
  driver.looks = 0;
  const first = agent.deliveries.length;
  const [before, handedBefore] = [await rowsOf(stage), await handedOf(stage)];
  const diedAt = Date.now();
  driver.outcome = (leaf) => (leaves.has(leaf) ? "ConnectTimeout" : "Ok");
  const withheld = () => firstWithheld(agent.deliveries.slice(first), leaves);
  const cost = await measure(stage, () =>
    until(() => withheld().size >= leaves.size, say, `${what}: ${withheld().size} of ${leaves.size}`),
  );
  const [after, handed] = [await rowsOf(stage), await handedOf(stage)];
  driver.onReport = () => {};
  const times = [...withheld()];
  const deliveries = agent.deliveries.slice(first);
  return {
    ...cost,
    leaves: leaves.size,
    sent: driver.sent,
    failed: driver.failed,
    looks: driver.looks,
    deliveries: deliveries.length,
    bytes: Math.max(...deliveries.map(({ bytes }) => bytes)),
    bytesOfRecord: sumOf(deliveries, "bytes") / sumOf(deliveries, "records"),
    handed: {
      whole: handed.whole - handedBefore.whole,
      inPart: handed.inPart - handedBefore.inPart,
      records: handed.records - handedBefore.records,
    },
    untilDelivered: times.map(([, at]) => at - diedAt),
    sinceQuorum: times.map(([leaf, at]) => at - (quorum.wholeAt.get(leaf) ?? Number.NaN)),
    residentMb: workerd.residentMb(),
    rows: { read: after.read - before.read, written: after.written - before.written },
  };
}

function sumOf<Key extends string>(all: readonly Record<Key, number>[], key: Key): number {
  return all.reduce((sum, one) => sum + one[key], 0);
}

/** All is well again, until the agent holds that. */
export async function heal({ driver, agent, say }: Stage): Promise<void> {
  driver.outcome = () => "Ok";
  const isWhole = () => {
    const newest = new Map(agent.deliveries.map((delivery) => [delivery.cluster, delivery]));
    return [...newest.values()].every(({ withheld }) => withheld.length === 0);
  };
  await until(isWhole, say, "all to be well again");
}

function firstWithheld(deliveries: Stage["agent"]["deliveries"], leaves: ReadonlySet<string>): Map<string, number> {
  const times = new Map<string, number>();
  for (const { withheld, at } of deliveries) {
    for (const leaf of withheld) if (leaves.has(leaf) && !times.has(leaf)) times.set(leaf, at);
  }
  return times;
}

/** When the report was sent with which enough regions said unhealthy of a leaf. */
class Quorums {
  readonly wholeAt = new Map<string, number>();
  readonly #leaves: ReadonlySet<string>;
  readonly #regions = new Map<string, Set<string>>();

  constructor(leaves: ReadonlySet<string>) {
    this.#leaves = leaves;
  }

  note({ shard, probes }: Report): void {
    for (const { id, counts } of probes) {
      const leaf = id.slice(id.lastIndexOf("/") + 1);
      if (counts.failures <= FAILURE_THRESHOLD || !this.#leaves.has(leaf)) continue;
      const regions = this.#regions.get(leaf) ?? new Set();
      this.#regions.set(leaf, regions.add(shard.region));
      if (regions.size === QUORUM && !this.wholeAt.has(leaf)) this.wholeAt.set(leaf, Date.now());
    }
  }
}
