import type { HistoryPoint, ProbeHistory, RecordHistory } from "../../../shared/model/history.ts";

/** The phases of a check. As in an observation, all but `resolve` are measured from the dial. */
export const PHASES = {
  total: { label: "Total", field: "totalMs" },
  firstByte: { label: "First byte", field: "firstByteMs" },
  tls: { label: "TLS", field: "tlsMs" },
  connect: { label: "Connect", field: "connectMs" },
  resolve: { label: "DNS", field: "resolveMs" },
} as const;
export type Phase = keyof typeof PHASES;

/** One region's line: as long as the chart's times, with null where nothing was measured. */
export interface Line {
  region: string;
  /** Mean of the phase in each step, ms. */
  latencyMs: (number | null)[];
  /** Share of failed checks in each step, 0 to 1; null without checks. */
  failed: (number | null)[];
  facts: LineFacts;
}

export interface LineFacts {
  ok: number;
  failed: number;
  indeterminate: number;
  /** ok / (ok + failed); null where nothing was checked. */
  availability: number | null;
  /** Of the steps' means, ms; null where nothing was measured. */
  lowestMs: number | null;
  meanMs: number | null;
  highestMs: number | null;
  latestMs: number | null;
}

export interface Chart {
  /** Start times of all steps of the span, Unix seconds, as uPlot expects. */
  timesS: number[];
  lines: Line[];
}

/** The phases with measurements, in the order of {@link PHASES}. */
export function phasesIn(series: readonly ProbeHistory[]): Phase[] {
  const has = ({ field }: { field: keyof HistoryPoint }) =>
    series.some(({ points }) => points.some((point) => point[field] !== null));
  return (Object.keys(PHASES) as Phase[]).filter((phase) => has(PHASES[phase]));
}

/** The leaves with history, sorted. */
export function leavesIn({ series }: RecordHistory): string[] {
  return [...new Set(series.map(({ leaf }) => leaf))].sort();
}

/**
 * Makes a chart of one leaf's history, with a line for each region, sorted by name. If several clusters probe the leaf,
 * means are weighted by their checks.
 */
export function chartOf(history: RecordHistory, leaf: string, phase: Phase): Chart {
  const { stepMs, from, to } = history;
  const first = Math.floor(from / stepMs) * stepMs;
  const length = Math.max(0, Math.ceil((to - first) / stepMs));
  const timesS = Array.from({ length }, (_, index) => (first + index * stepMs) / 1_000);
  const ofLeaf = history.series.filter((one) => one.leaf === leaf);
  const byRegion = Map.groupBy(ofLeaf, ({ region }) => region);
  const lines = [...byRegion.keys()].sort().map((region) => {
    const slots = slotsOf(byRegion.get(region) ?? [], PHASES[phase].field, { first, stepMs, length });
    return lineOf(region, slots);
  });
  return { timesS, lines };
}

interface Slot {
  ok: number;
  failed: number;
  indeterminate: number;
  sumMs: number;
  weight: number;
}

interface Steps {
  first: number;
  stepMs: number;
  length: number;
}

function slotsOf(series: readonly ProbeHistory[], field: keyof HistoryPoint, steps: Steps): (Slot | undefined)[] {
  const slots: (Slot | undefined)[] = Array.from({ length: steps.length }, () => undefined);
  for (const point of series.flatMap(({ points }) => points)) {
    const index = Math.floor((point.at - steps.first) / steps.stepMs);
    if (index < 0 || index >= steps.length) continue;
    const slot = slots[index] ?? { ok: 0, failed: 0, indeterminate: 0, sumMs: 0, weight: 0 };
    slots[index] = slot;
    slot.ok += point.ok;
    slot.failed += point.failed;
    slot.indeterminate += point.indeterminate;
    const mean = point[field];
    if (mean === null) continue;
    const weight = Math.max(1, point.ok + point.failed);
    slot.sumMs += mean * weight;
    slot.weight += weight;
  }
  return slots;
}

function lineOf(region: string, slots: readonly (Slot | undefined)[]): Line {
  const latencyMs = slots.map((slot) => (slot === undefined || slot.weight === 0 ? null : slot.sumMs / slot.weight));
  const failed = slots.map((slot) => share(slot?.failed ?? 0, slot?.ok ?? 0));
  return { region, latencyMs, failed, facts: factsOf(slots, latencyMs) };
}

function factsOf(slots: readonly (Slot | undefined)[], latencyMs: readonly (number | null)[]): LineFacts {
  const seen = slots.filter((slot) => slot !== undefined);
  const sum = (value: (slot: Slot) => number) => seen.reduce((total, slot) => total + value(slot), 0);
  const means = latencyMs.filter((mean) => mean !== null);
  const [ok, failed, weight] = [sum((slot) => slot.ok), sum((slot) => slot.failed), sum((slot) => slot.weight)];
  return {
    ok,
    failed,
    indeterminate: sum((slot) => slot.indeterminate),
    availability: share(ok, failed),
    lowestMs: means.length === 0 ? null : Math.min(...means),
    meanMs: weight === 0 ? null : sum((slot) => slot.sumMs) / weight,
    highestMs: means.length === 0 ? null : Math.max(...means),
    latestMs: means.at(-1) ?? null,
  };
}

function share(part: number, rest: number): number | null {
  return part + rest === 0 ? null : part / (part + rest);
}
