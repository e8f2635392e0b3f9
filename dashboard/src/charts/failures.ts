import type uPlot from "uplot";
import type { Line } from "./series.ts";

const LANE_PX = 12;
const BAR_PX = 8;
/** Between the lanes and the topmost label of the axis. */
const CLEAR_PX = 11;
const FONT = "10px system-ui, sans-serif";

/** Room that the lanes of failed checks need above the chart, CSS px. */
export function lanesHeight(lines: readonly Line[]): number {
  const { length } = failing(lines);
  return length === 0 ? 0 : length * LANE_PX + CLEAR_PX;
}

/**
 * Draws above the chart, for each region that saw failures, when it did: a bar a step, the taller the more of its checks
 * failed. Times without a bar were in order, or nothing was checked.
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
