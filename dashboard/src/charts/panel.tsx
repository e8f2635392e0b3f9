import { useMemo, useState } from "preact/hooks";
import type { HistorySpan, RecordHistory } from "../../../shared/model/history.ts";
import { EmptyNote, ErrorHint, ErrorNote, Skeleton } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { Figures } from "./figures.tsx";
import { formatPercent } from "./format.ts";
import { Plot } from "./plot.tsx";
import { chartOf, leavesIn, PHASES, type Phase, phasesIn } from "./series.ts";
import { useHistory } from "./use-history.ts";
import "./charts.css";

const SPANS: readonly (readonly [HistorySpan, string])[] = [
  ["6h", "6 hours"],
  ["7d", "7 days"],
  ["90d", "90 days"],
];

export interface Charted {
  host: string;
  /** When the record was last decided, Unix ms. The history is read again when this changes. */
  decidedAt: number;
  /** The leaf to show until the viewer chooses another; undefined for the first. */
  troubled: string | undefined;
  /** Whether any address of the record is probed. */
  isProbed: boolean;
}

/** Latency and availability over time, by region. */
export default function HistoryPanel({ host, decidedAt, troubled, isProbed }: Charted) {
  const [span, setSpan] = useState<HistorySpan>("6h");
  const { history, fault } = useHistory(host, span, decidedAt);
  const isOther = history !== undefined && history.span !== span;
  return (
    <section class="card padded history" aria-labelledby="history" aria-busy={isOther}>
      <header class="history-head">
        <h2 id="history">Latency and availability</h2>
        <Choice legend="How far back" name="span" choices={SPANS} value={span} onChange={setSpan} />
      </header>
      {fault !== undefined && (
        <ErrorNote title="The history cannot be read at the moment">
          <p>
            {fault.message} <ErrorHint fault={fault} otherwise="The page asks again each minute." />
          </p>
        </ErrorNote>
      )}
      {history === undefined ? (
        fault === undefined && <Skeleton label="Loading the history" rows={3} />
      ) : (
        <History history={history} troubled={troubled} isProbed={isProbed} />
      )}
    </section>
  );
}

type Drawn = { history: RecordHistory } & Pick<Charted, "troubled" | "isProbed">;

function History({ history, troubled, isProbed }: Drawn) {
  const leaves = leavesIn(history);
  const phases = phasesIn(history.series);
  const [wantedLeaf, setLeaf] = useState<string>();
  const [wantedPhase, setPhase] = useState<Phase>("total");
  const leaf = [wantedLeaf, troubled, leaves[0]].find((one) => one !== undefined && leaves.includes(one)) ?? "";
  const phase = phases.includes(wantedPhase) ? wantedPhase : (phases[0] ?? "total");
  if (history.series.every(({ points }) => points.length === 0)) {
    return (
      <EmptyNote title="No history of this span yet">
        <p>
          {isProbed
            ? "Checks are summed up by the minute: the first ones appear here a minute after the record was taken up."
            : "None of its addresses is probed, so there is nothing to measure."}
        </p>
        <Missing history={history} />
      </EmptyNote>
    );
  }
  return (
    <>
      <p class="availability">
        <b>{formatPercent(history.availability)}</b>
        <span class="muted"> of all checks succeeded, over all addresses and regions</span>
      </p>
      <div class="history-choices">
        {leaves.length > 1 && (
          <label class="leaf-choice">
            <span class="visually-hidden">Address</span>
            <select value={leaf} onChange={(event) => setLeaf(event.currentTarget.value)}>
              {leaves.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </select>
          </label>
        )}
        <Choice
          legend="What of a check"
          name="phase"
          choices={phases.map((one) => [one, PHASES[one].label] as const)}
          value={phase}
          onChange={setPhase}
        />
      </div>
      <LeafChart history={history} leaf={leaf} phase={phase} />
      <Missing history={history} />
    </>
  );
}

function LeafChart({ history, leaf, phase }: { history: RecordHistory; leaf: string; phase: Phase }) {
  const chart = useMemo(() => chartOf(history, leaf, phase), [history, leaf, phase]);
  const [step, setStep] = useState<number>();
  const [marked, mark] = useState<string>();
  const caption = `${PHASES[phase].label} of ${leaf} by region, last ${SPANS.find(([span]) => span === history.span)?.[1]}`;
  const at = step === undefined ? undefined : chart.timesS[step];
  return (
    <>
      <Plot
        chart={chart}
        phase={phase}
        marked={marked}
        label={`Chart: ${caption}. The table after it has the figures.`}
        onStep={setStep}
      />
      <p class="small muted pointed-at">
        {at === undefined ? (
          <>Means by {stepWords(history.stepMs)}; bars above the lines are failed checks.</>
        ) : (
          <>
            Pointed at: <Time at={at * 1_000} />, mean of {stepWords(history.stepMs)}
          </>
        )}
      </p>
      <Figures chart={chart} step={step} caption={caption} onMark={mark} />
    </>
  );
}

function Missing({ history: { missing } }: { history: RecordHistory }) {
  if (missing.length === 0) return null;
  return (
    <p class="history-missing small">
      <b>Incomplete:</b> the probers of {missing.join(", ")} did not answer, so their part is not shown.
    </p>
  );
}

function stepWords(stepMs: number): string {
  const minutes = stepMs / 60_000;
  if (minutes === 1) return "minute";
  return minutes < 60 ? `${minutes} minutes` : "hour";
}

interface Shown<Value extends string> {
  /** The name of the group for screen readers. */
  legend: string;
  name: string;
  choices: readonly (readonly [value: Value, label: string])[];
  value: NoInfer<Value>;
  onChange(value: NoInfer<Value>): void;
}

/** A choice of one among a few options, side by side. */
export function Choice<Value extends string>({ legend, name, choices, value, onChange }: Shown<Value>) {
  return (
    <fieldset class="choice">
      <legend class="visually-hidden">{legend}</legend>
      {choices.map(([one, label]) => (
        <label key={one}>
          <input type="radio" name={name} value={one} checked={one === value} onChange={() => onChange(one)} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
