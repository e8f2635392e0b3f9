import { objects, type Usage } from "../../../shared/model/usage.ts";
import { OBJECT_GB, route53Usd } from "../../../shared/price/prices.ts";
import { sumOf as sumOfUsages } from "../../../shared/usage/tally.ts";
import { sumOf } from "./bill.ts";
import { GOALS, nameOf } from "./cases.ts";
import type { ObjectCounts } from "./counts.ts";
import type { Measured } from "./measure.ts";

const HEAD = [
  "endpoints × regions",
  "requests",
  "alarms",
  "rows written",
  "rows read",
  "awake s",
  "GB-s",
  "log lines",
  "KB",
  "$ a month",
  "goal",
  "dials' CPU",
  "Route 53",
  "late",
  "what dominates",
];

/** Where alarms are later than this on average the machine is too busy, and what is awake says nothing. */
const TOO_LATE_MS = 500;

/** The table: all amounts for each endpoint and month. */
export function tableOf(all: readonly Measured[]): string {
  const rows = all.map(rowOf);
  const widths = HEAD.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  return [line(HEAD), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

function rowOf({ case: one, month, lateMs }: Measured): string[] {
  const each = (amount: number) => Math.round(amount / one.endpoints).toLocaleString("en");
  const usd = month.usd / one.endpoints;
  const goal = GOALS.find(({ regions, intervalS }) => regions === one.regions && intervalS === one.intervalS);
  const isForGoal = one.state === "healthy" && one.endpoints >= 100;
  const verdict = goal && isForGoal ? `≤ ${goal.usd}: ${usd <= goal.usd ? "met" : "MISSED"}` : "";
  const most = month.parts.slice(0, 3).map(([part, amount]) => `${part} ${Math.round((100 * amount) / month.usd)} %`);
  return [
    nameOf(one),
    each(month.requests),
    each(month.alarms),
    each(month.rowsWritten),
    each(month.rowsRead),
    each(month.awakeS),
    each(month.awakeS * OBJECT_GB),
    each(month.logLines),
    each(month.bytes / 1_000),
    usd.toFixed(4),
    verdict,
    `+ ${(month.dialCpuUsd / one.endpoints).toFixed(4)}`,
    route53Usd({ isHttps: true, intervalMs: one.intervalS * 1_000, readsBody: false }).toFixed(2),
    `${Math.round(lateMs)} ms${lateMs > TOO_LATE_MS ? ": NOT VALID, this machine is too busy" : ""}`,
    most.join(", "),
  ];
}

const CLASS_OF = { probers: "Prober", coordinators: "Coordinator", clusters: "Cluster" } as const;

/** What the product's own meter said of each window, beside what was counted around its objects: of all, and by kind of object. */
export function metersOf(all: readonly Measured[]): string[] {
  return all.flatMap(({ case: one, used, metered }) => {
    if (metered === undefined) return [];
    const kinds = objects.options.map((kind) => ({
      kind,
      counts: [used.objects[CLASS_OF[kind]]],
      said: metered[kind],
    }));
    const total = {
      kind: "all",
      counts: kinds.flatMap(({ counts }) => counts),
      said: sumOfUsages(Object.values(metered)),
    };
    const lines = [total, ...kinds].map(({ kind, counts, said }) => `  ${kind.padEnd(12)} ${besides(counts, said)}`);
    return [`${nameOf(one)}:`, ...lines];
  });
}

function besides(counts: readonly ObjectCounts[], said: Usage): string {
  const sum = (read: (counts: ObjectCounts) => number) => counts.reduce((all, one) => all + read(one), 0);
  const beside = (name: string, counted: number, metered: number, digits = 0) =>
    `${name} ${metered.toFixed(digits)} of ${counted.toFixed(digits)}`;
  return [
    beside(
      "requests",
      sum(({ calls, alarms }) => calls + alarms),
      said.requests,
    ),
    // The local runtime writes an object's name at each start, which is not billed, and which the meter cannot tell from the rest.
    beside(
      "rows written",
      sum(({ rowsWritten, starts }) => sumOf(rowsWritten) + starts),
      said.rowsWritten,
    ),
    beside(
      "rows read",
      sum(({ rowsRead }) => rowsRead),
      said.rowsRead,
    ),
    beside("awake s", sum(({ awakeMs }) => awakeMs) / 1_000, said.awakeMs / 1_000, 2),
  ].join(", ");
}

/** What one endpoint that begins or ceases to fail costs, where a fleet was measured both flapping and at rest. */
export function flipsOf(all: readonly Measured[]): string[] {
  return all.flatMap((flapping) => {
    const { case: one, flips, month, windowS } = flapping;
    if (one.state !== "flapping" || flips === 0) return [];
    const rest = all.find((other) => nameOf(other.case) === nameOf({ ...one, state: "healthy" }));
    if (rest === undefined) return [];
    const perFlip = (month.usd - rest.month.usd) / ((flips / windowS) * 30 * 86_400);
    // A failure is two flips, there and back.
    const more = (one.endpoints * 0.05 * 30 * 2 * perFlip) / rest.month.usd;
    const text = `${nameOf({ ...one, state: "healthy" })}: a failure and its end cost $${(2 * perFlip).toExponential(1)};`;
    return [`${text} 5 % of the endpoints failing once a day add ${(100 * more).toFixed(2)} %.`];
  });
}
