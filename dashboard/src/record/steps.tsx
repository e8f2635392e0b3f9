import { clockIn } from "../../../shared/explain/clock.ts";
import { explainRecord } from "../../../shared/explain/record.ts";
import type { RecordDetail } from "../../../shared/model/record-detail.ts";

/** The decision in the very words of `vedette explain`. */
export function Steps({ record, now }: { record: RecordDetail; now: number }) {
  const { summary, steps } = explainRecord(record, clockIn(now));
  return (
    <section class="card padded" aria-labelledby="steps">
      <h2 id="steps">The decision, step by step</h2>
      <p class="muted small">{summary}</p>
      <ol class="steps">
        {steps.map(({ title, lines }) => (
          <li key={title}>
            <h3>{title}</h3>
            <ul>
              {lines.map((line, index) => (
                <li key={`${index} ${line}`}>{line}</li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </section>
  );
}
