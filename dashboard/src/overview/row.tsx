import { Fragment } from "preact";
import type { LeafSummary, RecordSummary } from "../../../shared/model/overview.ts";
import type { Region } from "../../../shared/model/region.ts";
import { recordPath } from "../router.ts";
import { RegionMark, STATE_WORDS, StateMark } from "../ui/state-mark.tsx";
import { Since } from "../ui/time.tsx";
import { groupLeaves, isRemarkable, type LeafGroup, PLACE_WORDS } from "./leaf-groups.ts";

/** The most addresses shown; the rest are counted. */
const LISTED = 8;

/** One record: its state, its addresses, and the verdict of each region. */
export function RecordRow({ record, regions }: { record: RecordSummary; regions: readonly Region[] }) {
  const { rootHost, state, leaves } = record;
  const plain = leaves.filter((leaf) => !isRemarkable(leaf));
  const remarkable = leaves.filter(isRemarkable);
  return (
    <li class="record" data-host={rootHost} data-state={state}>
      <span class="state" data-tone={state}>
        <StateMark state={state} />
        {STATE_WORDS[state]}
      </span>
      <div class="record-body">
        <a class="host" href={recordPath(rootHost)}>
          {rootHost}
        </a>
        {groupLeaves(remarkable).map((story) => (
          <StoryLine key={story.leaves[0]} {...story} />
        ))}
        {plain.length > 0 && <PlainLeaves leaves={plain} />}
        {leaves.length === 0 && <p class="muted small">Nothing was decided yet.</p>}
      </div>
      <Strip record={record} regions={regions} />
    </li>
  );
}

function StoryLine({ leaves, place, why, who, since }: LeafGroup) {
  const details = [why, who].filter((text) => text !== "").join(", ");
  return (
    <p class="leaf" data-place={place}>
      <i class="leaf-mark" />
      <span class="leaf-words">
        <Addresses leaves={leaves} /> <strong>{PLACE_WORDS[place]}</strong>
        {details !== "" && `: ${details}`}
      </span>{" "}
      {since !== undefined && (
        <span class="leaf-since muted">
          <Since at={since} />
        </span>
      )}
    </p>
  );
}

function PlainLeaves({ leaves }: { leaves: readonly LeafSummary[] }) {
  return (
    <p class="leaf" data-place="in">
      <i class="leaf-mark" />
      <span class="leaf-words">
        <span class="visually-hidden">In DNS: </span>
        <Addresses leaves={leaves.map(({ leaf }) => leaf)} />
      </span>
    </p>
  );
}

function Addresses({ leaves }: { leaves: readonly string[] }) {
  const more = leaves.length - LISTED;
  return (
    <>
      {leaves.slice(0, LISTED).map((leaf) => (
        <Fragment key={leaf}>
          <span class="mono address">{leaf}</span>{" "}
        </Fragment>
      ))}
      {more > 0 && `and ${more} more`}
    </>
  );
}

const SAYS_WORDS = { Unhealthy: "unhealthy", Silent: "silent", Pending: "not judged yet", Healthy: "healthy" } as const;

function Strip({ record, regions }: { record: RecordSummary; regions: readonly Region[] }) {
  const says = new Map(record.regions.map((one) => [one.region, one.says]));
  return (
    <span class="strip" role="img" aria-label={stripWords(record)}>
      {regions.map((region) => (
        <RegionMark key={region} says={says.get(region)} />
      ))}
    </span>
  );
}

/** `Regions: enam, weur unhealthy; apac healthy`. */
function stripWords({ regions }: RecordSummary): string {
  if (regions.length === 0) return "Regions: none looks at it";
  const groups = (Object.keys(SAYS_WORDS) as (keyof typeof SAYS_WORDS)[]).flatMap((says) => {
    const names = regions.filter((one) => one.says === says).map(({ region }) => region);
    return names.length === 0 ? [] : [`${names.join(", ")} ${SAYS_WORDS[says]}`];
  });
  return `Regions: ${groups.join("; ")}`;
}
