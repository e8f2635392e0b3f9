import type uPlot from "uplot";
import { drawFailures, lanesHeight } from "./failures.ts";
import { lineStyle } from "./line-style.ts";
import { drawNames, NAMES_PX } from "./names.ts";
import { type Chart, PHASES, type Phase } from "./series.ts";
import { lonePoints, visibleTimes } from "./visible.ts";
import { msWords } from "./words.ts";

/** What the chart takes from the page's style sheet, since a canvas has none. */
export type ColorOf = (property: string) => string;

interface Wanted {
  chart: Chart;
  phase: Phase;
  widthPx: number;
  heightPx: number;
  colorOf: ColorOf;
  /** Told of the step under the pointer, if any. */
  onStep(index: number | undefined): void;
}

/** Everything uPlot has to know to draw a chart. */
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
    values: (_, values) => values.map((value) => (value === 0 ? "0" : msWords(value))),
  }),
};

/** `12:05`; at midnight the day that begins. */
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
