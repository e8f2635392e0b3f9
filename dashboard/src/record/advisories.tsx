import type { RecordDetail } from "../../../shared/model/record-detail.ts";
import { ToneMark } from "../ui/state-mark.tsx";
import { TextWithTimes } from "../ui/time.tsx";
import { type Advice, adviceOf, advisoryWords } from "./leaf-facts.ts";

/** The number of lines shown before the viewer expands the list. */
const SHOWN = 4;

/** The advisories, which never change a verdict. Renders nothing if there are none. */
export function Advisories({ record }: { record: RecordDetail }) {
  const advice = adviceOf(record);
  if (advice.length === 0) return null;
  const more = advice.slice(SHOWN);
  return (
    <section class="advisories" aria-labelledby="advisories">
      <h2 id="advisories">Worth knowing</h2>
      <List advice={advice.slice(0, SHOWN)} />
      {more.length > 0 && (
        <details>
          <summary class="small">{more.length} more</summary>
          <List advice={more} />
        </details>
      )}
    </section>
  );
}

function List({ advice }: { advice: readonly Advice[] }) {
  return (
    <ul>
      {advice.map(({ type, leaf, messages }) => (
        <li key={`${type} ${leaf}`}>
          <ToneMark tone="warn" />
          <p>
            <strong>{advisoryWords(type)}</strong>
            {leaf !== undefined && <span class="mono"> {leaf}</span>}: <TextWithTimes text={messages.join("; ")} />
          </p>
        </li>
      ))}
    </ul>
  );
}
