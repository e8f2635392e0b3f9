import type { RecordDetail } from "../../../shared/model/record-detail.ts";
import { Time } from "../ui/time.tsx";
import { advisoryWords, allAdvisories } from "./facts.ts";
import { ToneMark } from "./mark.tsx";

/** What to know beside the verdicts; it never changes one. Nothing is drawn where there is none. */
export function Advisories({ record }: { record: RecordDetail }) {
  const advisories = allAdvisories(record);
  if (advisories.length === 0) return null;
  return (
    <section class="advisories" aria-labelledby="advisories">
      <h2 id="advisories">Worth knowing</h2>
      <ul>
        {advisories.map(({ type, message, leaf, since }) => (
          <li key={`${type} ${leaf} ${message}`}>
            <ToneMark tone="warn" />
            <p>
              <strong>{advisoryWords(type)}</strong>
              {leaf !== undefined && <span class="mono"> {leaf}</span>}: {message}
              {since !== undefined && (
                <span class="muted">
                  {" "}
                  since <Time at={since} />
                </span>
              )}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
