import type uPlot from "uplot";
import { drawFailures, drawNames, lanesHeight, NAMES_PX } from "./canvas-annotations.ts";
import { formatMs } from "./format.ts";
import { type Chart, PHASES, type Phase } from "./series.ts";

/** Resolves a CSS custom property of the page, because a canvas has no style sheet. */
export type ColorOf = (property: string) => string;

interface Wanted {
  chart: Chart;
  phase: Phase;
  widthPx: number;
  heightPx: number;
  colorOf: ColorOf;
  /** Called with the index of the step under the pointer, if any. */
  onStep(index: number | undefined): void;
}

/** The options of uPlot for a chart. */
export function plotOptions({ chart, phase, widthPx, heightPx, colorOf, onStep }: Wanted): uPlot.Options {
  const text = colorOf("--ink-muted");
  const grid = { stroke: colorOf("--line"), width: 1 };
  const visible = visibleTimes(chart);
  const failures = { bad: colorOf("--critical"), faint: colorOf("--line"), text };
  const axis = { stroke: text, grid, ticks: { show: false }, font: "11px system-ui, sans-serif" };
  return {
    width: widthPx,
    height: heightPx + lanesHeight(chart.lines),
    padding: [lanesHeight(chart.lines) + 10, NAMES_PX, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: {
      x: { time: true, ...(visible && { range: [visible.fromS, visible.toS] as uPlot.Range.MinMax }) },
      y: { range: (_, __, highest) => [0, Math.max(highest * 1.15, 1)] },
    },
    axes: [axes.x(axis), axes.y(axis)],
    series: [
      {},
      ...chart.lines.map(({ region }, index) => seriesOf(`${region} ${PHASES[phase].label}`, index, colorOf)),
    ],
    hooks: {
      draw: [(plot) => drawFailures(plot, chart.lines, failures), (plot) => drawNames(plot, chart.lines)],
      setCursor: [(plot) => onStep(plot.cursor.idx ?? undefined)],
    },
  };
}

const TIME = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

const axes = {
  x: (axis: uPlot.Axis): uPlot.Axis => ({
    ...axis,
    size: 26,
    space: 70,
    values: (_, seconds) => seconds.map(timeWords),
  }),
  y: (axis: uPlot.Axis): uPlot.Axis => ({
    ...axis,
    size: 66,
    values: (_, values) => values.map((value) => (value === 0 ? "0" : formatMs(value))),
  }),
};

/** `12:05`; at midnight the new day. */
function timeWords(atS: number): string {
  const time = TIME.format(atS * 1_000);
  return time === "00:00" ? DAY.format(atS * 1_000) : time;
}

function seriesOf(label: string, index: number, colorOf: ColorOf): uPlot.Series {
  const { color, dash } = lineStyle(index);
  const stroke = colorOf(color);
  return {
    label,
    stroke,
    dash,
    width: 2,
    spanGaps: false,
    points: {
      show: true,
      size: 6,
      fill: stroke,
      filter: (plot, line) => lonePoints(Array.from(plot.data[line] ?? [])),
    },
  };
}

/** A short history is zoomed in, but never to fewer steps than this. */
const FEWEST_STEPS = 20;

/** The time range to show, Unix seconds: the whole span, or from where the history begins. */
export function visibleTimes({ timesS, lines }: Chart): { fromS: number; toS: number } | undefined {
  const [first, last] = [timesS[0], timesS.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const begin = timesS.findIndex((_, index) => lines.some(({ failed }) => failed[index] !== null));
  const fewest = Math.max(0, timesS.length - FEWEST_STEPS);
  const from = timesS[Math.min(begin < 1 ? 0 : begin - 1, fewest)] ?? first;
  return { fromS: from, toS: last };
}

/** Indexes of values between two gaps, which no line would show. */
export function lonePoints(values: readonly (number | null | undefined)[]): number[] {
  return values.flatMap((value, index) => {
    const isAlone = value != null && values[index - 1] == null && values[index + 1] == null;
    return isAlone ? [index] : [];
  });
}

/**
 * The style of a region's line. Dashes distinguish the lines; colour only helps. Lengths in px; an empty list is a
 * solid line.
 */
export interface LineStyle {
  /** Name of the CSS custom property of its colour. */
  color: string;
  dash: number[];
}

const COLORS = 9;
const DASHES = [
  [],
  [9, 4],
  [2, 3],
  [9, 3, 2, 3],
  [16, 5],
  [4, 4],
  [12, 3, 2, 3, 2, 3],
  [4, 7],
  [20, 4, 6, 4],
  [6, 8],
  [3, 2],
];

/** Returns the style of the nth line. There are as many dash patterns as regions. */
export function lineStyle(index: number): LineStyle {
  return { color: `--series-${(index % COLORS) + 1}`, dash: DASHES[index % DASHES.length] ?? [] };
}
