import { clockIn } from "../../../shared/explain/clock.ts";
import { explainRecord, type Step } from "../../../shared/explain/record.ts";
import type { RecordDetail } from "../../../shared/model/record-detail.ts";

/** The lines shown of a step. The rest are folded, because a record with many addresses has hundreds. */
const LINES_SHOWN = 12;

/** The decision, in the same words as `vedette explain`. */
export function Steps({ record, now }: { record: RecordDetail; now: number }) {
  const { summary, steps } = explainRecord(record, clockIn(now));
  return (
    <section class="card padded" aria-labelledby="steps">
      <h2 id="steps">The decision, step by step</h2>
      <p class="muted small">{summary}</p>
      <ol class="steps">
        {steps.map((step) => (
          <StepLines key={step.title} step={step} />
        ))}
      </ol>
    </section>
  );
}

function StepLines({ step: { title, lines } }: { step: Step }) {
  const more = lines.slice(LINES_SHOWN);
  return (
    <li>
      <h3>{title}</h3>
      <Lines lines={lines.slice(0, LINES_SHOWN)} />
      {more.length > 0 && (
        <details>
          <summary class="small">{more.length} more</summary>
          <Lines lines={more} />
        </details>
      )}
    </li>
  );
}

function Lines({ lines }: { lines: readonly string[] }) {
  return (
    <ul>
      {lines.map((line, index) => (
        <li key={`${index} ${line}`}>{line}</li>
      ))}
    </ul>
  );
}
