import type uPlot from "uplot";
import type { Line } from "./series.ts";
import { spread } from "./spread.ts";

const GAP_PX = 13;
const FONT_PX = 11;

/** Room that the names at the ends of the lines need, CSS px. */
export const NAMES_PX = 62;

/** Writes each region's name where its line ends, so that nobody has to tell lines by their colour. */
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
