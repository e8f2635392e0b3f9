import type uPlot from "uplot";
import type { Line } from "./series.ts";

const LANE_PX = 12;
const BAR_PX = 8;
/** Space between the lanes and the topmost axis label. */
const CLEAR_PX = 11;
const FONT = "10px system-ui, sans-serif";

/** Height of the lanes of failed checks above the chart, CSS px. */
export function lanesHeight(lines: readonly Line[]): number {
  const { length } = failing(lines);
  return length === 0 ? 0 : length * LANE_PX + CLEAR_PX;
}

/**
 * Draws a lane above the chart for each region that saw failures. Each step with failures has a bar, taller for a
 * larger share of failed checks.
 */
export function drawFailures(
  plot: uPlot,
  lines: readonly Line[],
  colors: { bad: string; faint: string; text: string },
) {
  const { ctx, bbox } = plot;
  const scale = devicePixelRatio;
  const stepPx = Math.max(2 * scale, stepWidth(plot));
  ctx.save();
  ctx.font = FONT.replace(/^\d+/, (size) => `${Number(size) * scale}`);
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  failing(lines).forEach(({ region, failed }, lane) => {
    const bottom = bbox.top - (failing(lines).length - lane - 1) * LANE_PX * scale - CLEAR_PX * scale;
    ctx.fillStyle = colors.faint;
    ctx.fillRect(bbox.left, bottom, bbox.width, scale);
    ctx.fillStyle = colors.text;
    ctx.fillText(`${region} ✕`, bbox.left - 6 * scale, bottom - (BAR_PX / 2 - 1) * scale);
    ctx.fillStyle = colors.bad;
    failed.forEach((share, index) => {
      if (share === null || share === 0) return;
      const x = plot.valToPos(plot.data[0][index] ?? 0, "x", true);
      if (x < bbox.left || x > bbox.left + bbox.width) return;
      const height = (0.4 + 0.6 * share) * BAR_PX * scale;
      ctx.fillRect(x - stepPx / 2, bottom - height, stepPx, height);
    });
  });
  ctx.restore();
}

function failing(lines: readonly Line[]): Line[] {
  return lines.filter(({ facts }) => facts.failed > 0);
}

function stepWidth(plot: uPlot): number {
  const [first, second] = plot.data[0];
  if (first === undefined || second === undefined) return 0;
  return plot.valToPos(second, "x", true) - plot.valToPos(first, "x", true) - devicePixelRatio;
}

const GAP_PX = 13;
const FONT_PX = 11;

/** Width of the names at the ends of the lines, CSS px. */
export const NAMES_PX = 62;

/** Writes each region's name where its line ends, so that colour is not the only sign. */
export function drawNames(plot: uPlot, lines: readonly Line[]): void {
  const { ctx, bbox } = plot;
  const scale = devicePixelRatio;
  const ends = lines.flatMap(({ region, latencyMs }, index) => {
    const last = latencyMs.findLast((value) => value !== null);
    const series = plot.series[index + 1];
    if (last == null || series === undefined) return [];
    return [{ region, y: plot.valToPos(last, "y", true), series }];
  });
  const ys = spread(
    ends.map(({ y }) => y),
    GAP_PX * scale,
    bbox.top,
    bbox.top + bbox.height,
  );
  ctx.save();
  ctx.font = `600 ${FONT_PX * scale}px system-ui, sans-serif`;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  ends.forEach(({ region, series }, index) => {
    ctx.globalAlpha = series.alpha ?? 1;
    ctx.fillStyle = strokeOf(plot, series);
    ctx.fillText(region, bbox.left + bbox.width + 6 * scale, ys[index] ?? 0);
  });
  ctx.restore();
}

function strokeOf(plot: uPlot, { stroke }: uPlot.Series): string | CanvasGradient | CanvasPattern {
  const value = typeof stroke === "function" ? stroke(plot, 0) : stroke;
  return value ?? "";
}

/**
 * Moves overlapping labels apart. Labels keep their order, stay at least `gap` apart, and stay within `[top, bottom]`
 * if they fit. Returns the new positions in the order of the input.
 */
export function spread(places: readonly number[], gap: number, top: number, bottom: number): number[] {
  const order = places.map((place, index) => ({ place, index })).sort((a, b) => a.place - b.place);
  let free = top;
  for (const label of order) {
    label.place = Math.max(label.place, free);
    free = label.place + gap;
  }
  let limit = Math.max(bottom, top + gap * (order.length - 1));
  for (const label of order.toReversed()) {
    label.place = Math.min(label.place, limit);
    limit = label.place - gap;
  }
  const spreadOut = [...places];
  for (const { place, index } of order) spreadOut[index] = place;
  return spreadOut;
}
