import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { type ColorOf, plotOptions } from "./plot-options.ts";
import type { Chart, Phase } from "./series.ts";

const HEIGHT_PX = 230;
const FADED = 0.18;

interface Shown {
  chart: Chart;
  phase: Phase;
  /** The highlighted region; the other lines fade. */
  marked: string | undefined;
  /** The text alternative of the chart. */
  label: string;
  onStep(index: number | undefined): void;
}

/** The chart, as wide as its container. It is drawn again when the theme changes. */
export function Plot({ chart, phase, marked, label, onStep }: Shown) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const theme = useTheme();
  useEffect(() => {
    const parent = place.current;
    if (parent === null) return;
    const widthPx = Math.max(200, parent.clientWidth);
    const options = plotOptions({ chart, phase, widthPx, heightPx: HEIGHT_PX, colorOf: colorsOf(parent), onStep });
    const drawn = new uPlot(options, [chart.timesS, ...chart.lines.map(({ latencyMs }) => latencyMs)], parent);
    plot.current = drawn;
    const observer = new ResizeObserver(() => {
      const width = Math.max(200, parent.clientWidth);
      if (width !== drawn.width) drawn.setSize({ width, height: drawn.height });
    });
    observer.observe(parent);
    return () => {
      observer.disconnect();
      drawn.destroy();
    };
  }, [chart, phase, theme]);
  useEffect(() => {
    const drawn = plot.current;
    if (drawn === undefined) return;
    chart.lines.forEach(({ region }, index) => {
      const line = drawn.series[index + 1];
      if (line !== undefined) line.alpha = marked === undefined || marked === region ? 1 : FADED;
    });
    drawn.redraw(false);
  }, [marked, chart, phase, theme]);
  return <div class="plot" ref={place} role="img" aria-label={label} />;
}

/**
 * A canvas takes no custom property, and the property's value may be unresolved. An element with that colour resolves
 * it.
 */
function colorsOf(parent: Element): ColorOf {
  return (property) => {
    const swatch = parent.appendChild(document.createElement("i"));
    swatch.style.color = `var(${property})`;
    const { color } = getComputedStyle(swatch);
    swatch.remove();
    return color;
  };
}

/** Returns a number that changes with the theme, whether the viewer or the system changed it. */
function useTheme(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const change = () => setChanges((count) => count + 1);
    const observer = new MutationObserver(change);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", change);
    return () => {
      observer.disconnect();
      system.removeEventListener("change", change);
    };
  }, []);
  return changes;
}
