import { loadavg } from "node:os";
import { INTERVAL_S, NINE } from "./fleet.ts";
import { short, spread } from "./numbers.ts";
import type { Plan } from "./options.ts";
import type { Flood, Steady, Storm } from "./scenes.ts";
import type { Begun, Stage } from "./stage.ts";

/** Of an isolate, by the platform. */
const LIMIT_MB = 128;
/** How much the cost of an endpoint may differ between few and many. */
const GOAL_PERCENT = 10;
const SHARD = 30;

type Row = [what: string, value: string];

export function print(rows: readonly Row[], title?: string): void {
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K");
  if (title !== undefined) console.log(`\n${title} (load ${loadavg()[0]?.toFixed(1)})`);
  const width = Math.max(...rows.map(([what]) => what.length));
  for (const [what, value] of rows) console.log(`  ${what.padEnd(width)}  ${value}`);
}

export function printSnapshot({ endpoints, clusters }: Plan, { snapshot, assigned, heapBefore }: Begun): void {
  const rows: Row[] = [
    ["octets", `${snapshot.bytes}`],
    ["records refused", `${snapshot.refused}`],
    ["time until it is answered", `${short(snapshot.wallMs)} ms, CPU ${short(snapshot.cpuMs)} ms`],
    ["time until every prober was assigned", `${short(assigned.wallMs)} ms more, CPU ${short(assigned.cpuMs)} ms`],
    ["heap in use, garbage aside", `${short(heapBefore)} → ${short(snapshot.heapMb)} MB of ${LIMIT_MB}`],
    ["process, resident, just after", `${short(snapshot.residentMb)} MB`],
  ];
  print(rows, `Snapshot of ${endpoints} leaves from ${clusters} cluster(s)`);
}

export function printSteady(
  { endpoints }: Plan,
  { sent, failed, cpuMs, wallMs, rows, residentMb }: Steady,
  heap: { heapMb: number; heapBefore: number },
): void {
  const minutes = wallMs / 60_000;
  const offered = (Math.ceil(endpoints / SHARD) * NINE.length) / INTERVAL_S;
  const lines: Row[] = [
    ["reports a second offered", short(offered)],
    ["reports a second taken", `${short(sent.length / (wallMs / 1_000))}, ${failed} not taken`],
    ["CPU of workerd", `${short((cpuMs / wallMs) * 100)} % of a core, ${short(cpuMs / sent.length)} ms a report`],
    ["answered after (p50 / p99 / most)", spread(sent.map(({ sentAt, answeredAt }) => answeredAt - sentAt))],
    ["left late by (p50 / p99 / most)", spread(sent.map(({ dueAt, sentAt }) => sentAt - dueAt))],
    ["rows a minute", `${short(rows.written / minutes)} written, ${short(rows.read / minutes)} read`],
    ["heap in use, garbage aside", `${short(heap.heapMb)} MB of ${LIMIT_MB} (${short(heap.heapBefore)} of it code)`],
    ["process, resident", `${short(residentMb)} MB`],
  ];
  print(
    lines,
    `${endpoints} endpoints × ${NINE.length} regions at ${INTERVAL_S} s, all well, for ${short(wallMs / 1_000)} s`,
  );
}

export function printStorm(title: string, storm: Storm): void {
  const { sent, cpuMs, wallMs } = storm;
  const lines: Row[] = [
    [
      "until the delivery was there (p50 / p99 / most)",
      spread(
        storm.untilDelivered.map((ms) => ms / 1_000),
        "s",
      ),
    ],
    ["since the quorum's last report (p50 / p99 / most)", spread(storm.sinceQuorum)],
    ["deliveries", `${storm.deliveries}, the largest of ${short(storm.bytes / 1e6)} MB`],
    [
      "handed to the clusters",
      `${storm.handed.whole} times everything, ${storm.handed.inPart} times what has changed; about ${short((storm.handed.records * storm.bytesOfRecord) / 1e6)} MB`,
    ],
    ["calls to look now", `${storm.looks}`],
    ["reports", `${sent.length} in ${short(wallMs / 1_000)} s, ${storm.failed} not taken`],
    ["answered after (p50 / p99 / most)", spread(sent.map(({ sentAt, answeredAt }) => answeredAt - sentAt))],
    ["CPU of workerd", `${short((cpuMs / wallMs) * 100)} % of a core, ${short(cpuMs / sent.length)} ms a report`],
    ["rows", `${storm.rows.written} written, ${storm.rows.read} read`],
    ["process, resident", `${short(storm.residentMb)} MB`],
  ];
  print(lines, `${title}: ${storm.leaves} leaves at once`);
}

export function printLoaded(
  { endpoints }: Plan,
  { empty, loaded, rows }: Record<"empty" | "loaded", Stage["born"]> & { rows: { read: number } },
): void {
  const lines: Row[] = [
    ["CPU, above that of an empty one", `${short(loaded.cpuMs - empty.cpuMs)} ms`],
    ["time until its first answer", `${short(loaded.wallMs)} ms`],
    ["heap in use, garbage aside", `${short(empty.heapMb)} → ${short(loaded.heapMb)} MB of ${LIMIT_MB}`],
    ["rows read", `${rows.read}`],
  ];
  print(lines, `A coordinator with ${endpoints} endpoints comes back to memory`);
}

type Sized = Flood & { endpoints: number };

export function printFlood(few: Sized, many: Sized): void {
  const lines = [...new Set<string>(Object.keys(figuresOf(few)))].map((name): Row => {
    const [one = 0, other = 0] = [figuresOf(few)[name], figuresOf(many)[name]];
    const percent = (other / one - 1) * 100;
    return [
      name,
      `${short(one)} / ${short(other)}${Number.isFinite(percent) ? `: ${percent > 0 ? "+" : ""}${percent.toFixed(0)} %` : ""}`,
    ];
  });
  print(lines, `Cost at ${few.endpoints} / ${many.endpoints} endpoints, all well; goal: within ${GOAL_PERCENT} %`);
}

/** Of one endpoint in a minute where it says so. A report is of one shard, which has up to thirty endpoints. */
function figuresOf({ endpoints, reports, report, sink, rows, heartbeat }: Sized): Record<string, number> {
  const own = (report.cpuMs - sink.cpuMs) / reports;
  const reportsPerMinute = Math.ceil(endpoints / SHARD) * NINE.length * (60 / INTERVAL_S);
  const perMinute = own * reportsPerMinute + heartbeat.cpuMs;
  return {
    "reports taken a second, as fast as can be": reports / (report.wallMs / 1_000),
    "CPU of a report, the way there included, ms": report.cpuMs / reports,
    "CPU of a report, of the coordinator, ms": own,
    "rows written with a report": rows.written / reports,
    "rows read with a report": rows.read / reports,
    "CPU of a heartbeat, ms": heartbeat.cpuMs,
    "reports an endpoint and minute": reportsPerMinute / endpoints,
    "CPU of the coordinator an endpoint and minute, ms": perMinute / endpoints,
  };
}
