import type { Overview } from "../../../shared/model/overview.ts";
import { recordPath } from "../router.ts";
import { StateMark } from "../ui/state-mark.tsx";
import { Since } from "../ui/time.tsx";
import type { Headline, Trouble } from "./headline.ts";
import { PLACE_WORDS } from "./words.ts";

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
              <WorstLine key={`${trouble.record.rootHost} ${trouble.story.leaves[0]}`} {...trouble} />
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

/** Addresses that are named; of more, only how many. */
const NAMED = 3;

function WorstLine({ record, story: { leaves, place, why, who, since } }: Trouble) {
  return (
    <li>
      <a href={recordPath(record.rootHost)}>
        {leaves.length > NAMED ? `${leaves.length} addresses` : <span class="mono">{leaves.join(", ")}</span>} of{" "}
        {record.rootHost}
      </a>{" "}
      {PLACE_WORDS[place]}: {why || "unhealthy"}
      {who !== "" && `, seen from ${who}`}
      {since !== undefined && (
        <>
          , <Since at={since} />
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
          <a href="/regions">{isAre(silent.map(nameOf))} silent</a>: a witness less, and no failure.
        </p>
      )}
      {suspect.length > 0 && (
        <p>
          <a href="/regions">{isAre(suspect.map(nameOf))} suspect</a>: most of what it looks at turned at one moment.
        </p>
      )}
      {lost.length > 0 && (
        <p>
          <a href="/clusters">{isAre(lost.map(({ cluster }) => cluster))} unreachable</a>: what is decided does not get
          through.
        </p>
      )}
    </>
  );
}

const nameOf = ({ region }: Overview["regions"][number]) => region;

const isAre = (names: readonly string[]) => `${names.join(", ")} ${names.length === 1 ? "is" : "are"}`;
