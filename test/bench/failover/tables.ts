import { boundMs, type Case, FAULTS, type Fault, isMainBurst, returnBoundMs } from "./cases.ts";
import type { Turn } from "./turns.ts";

/** What deciding, delivering and answering may add to the bound, ms. */
const ON_THE_WAY_MS = 1_000;
/** With the burst at 30 s, threshold 2 and three regions: the interval and so much, ms. */
const BURST_GOAL_MS = 35_000;

/** The value that this part of all is not above (nearest rank); NaN of none. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}

const LEGS = ["decision", "delivery", "dns", "whole"] as const;

/** All that is to be said of the turns: a line for each case, each fault, and each goal. */
export function tablesOf(turns: readonly Turn[]): string {
  const failures = turns.filter(({ kind }) => kind === "Failure");
  const returns = turns.filter(({ kind }) => kind === "Return");
  return [
    section("Endpoints that failed, ms: p50 / p99", HEAD, byCase(failures, limitOf)),
    section("Endpoints that were well again, ms: p50 / p99", HEAD, byCase(returns, limitOf)),
    section(
      "By how they failed, what the whole took of its bound: p50 / p99",
      ["", "count", "of the bound"],
      [...Object.entries(FAULTS).map(([fault, text]) => faultLine(failures, fault as Fault, text))],
    ),
    section("Goals", ["", "count", "met by", "p99", ""], goalLines(failures, returns)),
  ].join("\n\n");
}

const HEAD = ["case", "count", "to decision", "to delivery", "to DNS", "whole", "bound", "p99 within bound + 1 s"];

const limitOf = ({ subject: { check }, kind }: Turn): number =>
  kind === "Failure" ? boundMs(check) : returnBoundMs(check);
const isWithin = (turn: Turn): boolean =>
  (turn.legs?.whole ?? Number.POSITIVE_INFINITY) <= limitOf(turn) + ON_THE_WAY_MS;

function byCase(turns: readonly Turn[], limit: (turn: Turn) => number): string[][] {
  const cases = Map.groupBy(turns, ({ subject }) => caseText(subject.case));
  return [...cases].map(([text, own]) => {
    const legs = LEGS.map((leg) => pair(own.map((turn) => turn.legs?.[leg] ?? Number.POSITIVE_INFINITY)));
    const bound = Math.max(...own.map(limit));
    const p99 = percentile(own.map(wholeMs), 0.99);
    return [text, `${own.length}`, ...legs, `${bound}`, metText(p99, bound + ON_THE_WAY_MS)];
  });
}

const caseText = ({ intervalMs, failureThreshold, regions, burst }: Case): string =>
  `${intervalMs / 1_000} s, threshold ${failureThreshold}, ${regions} region${regions > 1 ? "s" : ""}, ${burst ? "burst" : "no burst"}`;

const wholeMs = ({ legs }: Turn): number => legs?.whole ?? Number.POSITIVE_INFINITY;
const pair = (values: readonly number[]): string => `${percentile(values, 0.5)} / ${percentile(values, 0.99)}`;
const metText = (value: number, goal: number): string => (value <= goal ? "met" : `MISSED by ${value - goal}`);

function faultLine(failures: readonly Turn[], fault: Fault, text: string): string[] {
  const own = failures.filter(({ subject }) => subject.fault === fault);
  const parts = own.map((turn) => wholeMs(turn) / limitOf(turn));
  return [text, `${own.length}`, `${percentile(parts, 0.5).toFixed(2)} / ${percentile(parts, 0.99).toFixed(2)}`];
}

function goalLines(failures: readonly Turn[], returns: readonly Turn[]): string[][] {
  const overMs = (turns: readonly Turn[]) => turns.map((turn) => wholeMs(turn) - limitOf(turn));
  const goal = (text: string, turns: readonly Turn[], values: readonly number[], most: number) => {
    const met = values.filter((value) => value <= most).length;
    return [text, `${turns.length}`, `${met}`, `${percentile(values, 0.99)}`, metText(percentile(values, 0.99), most)];
  };
  const main = failures.filter(({ subject }) => isMainBurst(subject.case));
  return [
    goal("out of DNS, ms beyond the bound: at most 1000", failures, overMs(failures), ON_THE_WAY_MS),
    goal("back in DNS, ms beyond the bound: at most 1000", returns, overMs(returns), ON_THE_WAY_MS),
    ...(main.length === 0
      ? []
      : [goal("out of DNS with the burst, ms: at most 35000", main, main.map(wholeMs), BURST_GOAL_MS)]),
  ];
}

/** The runs that took longer than the bound and 1 s, or for ever, as text. */
export function lateOnes(turns: readonly Turn[]): string[] {
  return turns
    .filter((turn) => !isWithin(turn))
    .map(({ subject, kind, legs }) => {
      const text = legs === undefined ? "not in time" : LEGS.map((leg) => `${leg} ${legs[leg]}`).join(", ");
      return `${caseText(subject.case)}, ${FAULTS[subject.fault]}, ${kind}: ${text}`;
    });
}

function section(title: string, head: readonly string[], rows: readonly string[][]): string {
  const table = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return [title, ...lines].join("\n");
}
