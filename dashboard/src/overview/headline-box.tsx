import type { Overview } from "../../../shared/model/overview.ts";
import { recordPath } from "../router.ts";
import { StateMark } from "../ui/state-mark.tsx";
import { Since } from "../ui/time.tsx";
import type { Headline, Trouble } from "./headline.ts";
import { PLACE_WORDS, placeOf, whoSays, whyOf } from "./words.ts";

const MARKS = { critical: "Critical", trouble: "Degraded", watch: "Warning", well: "Healthy" } as const;

/** What a person has to know first: what is out of DNS, why, since when, as seen from where. */
export function HeadlineBox({ headline, overview }: { headline: Headline; overview: Overview }) {
  const { tone, title, worst, more, sums } = headline;
  return (
    <section class="headline" data-tone={MARKS[tone]} aria-label="How it stands">
      <StateMark state={MARKS[tone]} />
      <div class="headline-body">
        <h2 aria-live="polite">{title}</h2>
        {worst.length > 0 && (
          <ul class="worst">
            {worst.map((trouble) => (
              <WorstLine key={`${trouble.record.rootHost} ${trouble.leaf.leaf}`} {...trouble} />
            ))}
          </ul>
        )}
        {more > 0 && <p>and {more} more below.</p>}
        <Around overview={overview} />
        <p class="muted small sums">{sums.join(" · ")}</p>
      </div>
    </section>
  );
}

function WorstLine({ record, leaf }: Trouble) {
  const place = placeOf(leaf);
  return (
    <li>
      <a href={recordPath(record.rootHost)}>
        <span class="mono">{leaf.leaf}</span> of {record.rootHost}
      </a>{" "}
      {PLACE_WORDS[place]}: {whyOf(leaf) || "unhealthy"}
      {leaf.against !== undefined && `, seen from ${whoSays(leaf.against)}`}
      {leaf.since !== undefined && (
        <>
          , <Since at={leaf.since} />
        </>
      )}
    </li>
  );
}

/** What is wrong with those who look, rather than with what they look at. */
function Around({ overview: { regions, clusters } }: { overview: Overview }) {
  const silent = regions.filter(({ shards, silentShards }) => shards > 0 && silentShards > 0);
  const suspect = regions.filter((region) => region.suspect);
  const lost = clusters.filter(({ reachable }) => !reachable);
  return (
    <>
      {silent.length > 0 && (
        <p>
          <a href="/regions">
            {silent.map(({ region }) => region).join(", ")} {silent.length === 1 ? "is" : "are"} silent
          </a>
          : silence is no failure, but it is one witness less.
        </p>
      )}
      {suspect.length > 0 && (
        <p>
          <a href="/regions">{suspect.map(({ region }) => region).join(", ")}</a>: most probes turned at one moment,
          which points at the region rather than at its targets.
        </p>
      )}
      {lost.length > 0 && (
        <p>
          <a href="/clusters">
            {lost.map(({ cluster }) => cluster).join(", ")} {lost.length === 1 ? "is" : "are"} unreachable
          </a>
          : what is decided does not reach {lost.length === 1 ? "its" : "their"} DNS now.
        </p>
      )}
    </>
  );
}
