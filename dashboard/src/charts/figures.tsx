import { formatCount, formatMs, formatPercent } from "./format.ts";
import { lineStyle } from "./plot-options.ts";
import type { Chart, Line } from "./series.ts";

interface Shown {
  chart: Chart;
  /** Index of the step under the pointer; undefined for the last step. */
  step: number | undefined;
  caption: string;
  onMark(region: string | undefined): void;
}

/** The chart as a table with a row for each region. It is the legend, and the text alternative of the chart. */
export function Figures({ chart, step, caption, onMark }: Shown) {
  return (
    <table class="figures">
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Region</th>
          <th scope="col">Available</th>
          <th scope="col">Failed</th>
          <th scope="col">Lowest</th>
          <th scope="col">Mean</th>
          <th scope="col">Highest</th>
          <th scope="col">{step === undefined ? "Latest" : "Pointed at"}</th>
        </tr>
      </thead>
      <tbody>
        {chart.lines.map((line, index) => (
          <Row key={line.region} line={line} index={index} step={step} onMark={onMark} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ line, index, step, onMark }: { line: Line; index: number } & Pick<Shown, "step" | "onMark">) {
  const { region, facts } = line;
  const at = step === undefined ? facts.latestMs : (line.latencyMs[step] ?? null);
  return (
    <tr onPointerEnter={() => onMark(region)} onPointerLeave={() => onMark(undefined)}>
      <th scope="row">
        <Sample index={index} /> {region}
      </th>
      <td data-label="Available">{formatPercent(facts.availability)}</td>
      <td data-label="Failed" class={facts.failed > 0 ? "has-failed" : undefined}>
        {facts.failed > 0 && <span aria-hidden="true">✕ </span>}
        {formatCount(facts.failed)} of {formatCount(facts.ok + facts.failed)}
      </td>
      <td data-label="Lowest">{formatMs(facts.lowestMs)}</td>
      <td data-label="Mean">{formatMs(facts.meanMs)}</td>
      <td data-label="Highest">{formatMs(facts.highestMs)}</td>
      <td data-label={step === undefined ? "Latest" : "Pointed at"}>{formatMs(at)}</td>
    </tr>
  );
}

/** A sample of the line as drawn in the chart. */
function Sample({ index }: { index: number }) {
  const { color, dash } = lineStyle(index);
  return (
    <svg class={`sample sample${color.slice(1)}`} viewBox="0 0 36 8" aria-hidden="true">
      <path d="M0 4h36" stroke-dasharray={dash.join(" ")} />
    </svg>
  );
}
