import type { Overview } from "../../../shared/model/overview.ts";
import { recordPath } from "../router.ts";
import { StateMark } from "../ui/state-mark.tsx";
import { Since } from "../ui/time.tsx";
import type { Headline, Trouble } from "./headline.ts";
import { PLACE_WORDS } from "./leaf-groups.ts";

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
            {more > 0 && <li class="muted">and {more} more below</li>}
          </ul>
        )}
        <Around overview={overview} />
        <p class="muted small">{sums.join(" · ")}</p>
      </div>
    </section>
  );
}

/** Addresses that are named; of more, only how many. */
const NAMED = 3;

function WorstLine({ record, story: { leaves, place, why, who, since } }: Trouble) {
  return (
    <li data-place={place}>
      <p class="worst-what">
        <a href={recordPath(record.rootHost)}>
          {leaves.length > NAMED ? `${leaves.length} addresses` : <span class="mono">{leaves.join(", ")}</span>} of{" "}
          {record.rootHost}
        </a>{" "}
        <strong>{PLACE_WORDS[place]}</strong>
      </p>
      <p class="worst-why">
        {why || "unhealthy"}
        {who !== "" && `, seen from ${who}`}
      </p>
      {since !== undefined && (
        <p class="worst-since">
          <Since at={since} />
        </p>
      )}
    </li>
  );
}

/** What is wrong with those who look, rather than with what they look at. */
function Around({ overview: { regions, clusters } }: { overview: Overview }) {
  const silent = regions.filter(({ shards, silentShards }) => shards > 0 && silentShards > 0).map(nameOf);
  const suspect = regions.filter((region) => region.suspect).map(nameOf);
  const lost = clusters.filter(({ reachable }) => !reachable).map(({ cluster }) => cluster);
  if (silent.length + suspect.length + lost.length === 0) return null;
  return (
    <ul class="around">
      {lost.length > 0 && (
        <li>
          <a href="/clusters">{isAre(lost)} unreachable</a>: what is decided does not get through.
        </li>
      )}
      {silent.length > 0 && (
        <li>
          <a href="/regions">{isAre(silent)} silent</a>:{" "}
          {silent.length === 1 ? "a witness" : `${silent.length} witnesses`} less, and no failure.
        </li>
      )}
      {suspect.length > 0 && (
        <li>
          <a href="/regions">{isAre(suspect)} suspect</a>: most of what{" "}
          {suspect.length === 1 ? "it looks" : "they look"} at turned at one moment.
        </li>
      )}
    </ul>
  );
}

const nameOf = ({ region }: Overview["regions"][number]) => region;

const isAre = (names: readonly string[]) => `${names.join(", ")} ${names.length === 1 ? "is" : "are"}`;
