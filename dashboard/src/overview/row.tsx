import type { LeafSummary, RecordSummary } from "../../../shared/model/overview.ts";
import type { Region } from "../../../shared/model/region.ts";
import { recordPath } from "../router.ts";
import { RegionMark, STATE_WORDS, StateMark } from "../ui/state-mark.tsx";
import { Since } from "../ui/time.tsx";
import { isRemarkable, PLACE_WORDS, placeOf, whoSays, whyOf } from "./words.ts";

/** Addresses that are simply in DNS, beyond which they are only counted. */
const LISTED = 8;

/** One record: its state, its addresses, and what each region says of it. */
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
        {remarkable.map((leaf) => (
          <RemarkableLeaf key={leaf.leaf} leaf={leaf} />
        ))}
        {plain.length > 0 && <PlainLeaves leaves={plain} />}
        {leaves.length === 0 && <p class="muted small">Nothing was decided yet.</p>}
      </div>
      <Strip record={record} regions={regions} />
    </li>
  );
}

function RemarkableLeaf({ leaf }: { leaf: LeafSummary }) {
  const place = placeOf(leaf);
  const details = [whyOf(leaf), leaf.against === undefined ? "" : whoSays(leaf.against)].filter((text) => text !== "");
  return (
    <p class="leaf" data-place={place}>
      <i class="leaf-mark" />
      <span class="mono address">{leaf.leaf}</span> <strong>{PLACE_WORDS[place]}</strong>
      {details.length > 0 && `: ${details.join(", ")}`}
      {leaf.since !== undefined && (
        <span class="muted">
          {" "}
          <Since at={leaf.since} />
        </span>
      )}
    </p>
  );
}

function PlainLeaves({ leaves }: { leaves: readonly LeafSummary[] }) {
  const listed = leaves.slice(0, LISTED).map(({ leaf }) => leaf);
  const more = leaves.length - listed.length;
  return (
    <p class="leaf" data-place="in">
      <i class="leaf-mark" />
      <span class="visually-hidden">In DNS: </span>
      <span class="mono addresses">
        {listed.join("  ")}
        {more > 0 && <span class="more"> and {more} more</span>}
      </span>
    </p>
  );
}

const SAYS_WORDS = { Unhealthy: "unhealthy", Silent: "silent", Pending: "not judged yet", Healthy: "healthy" } as const;

function Strip({ record, regions }: { record: RecordSummary; regions: readonly Region[] }) {
  const byRegion = new Map(record.regions.map((one) => [one.region, one]));
  return (
    <span class="strip" role="img" aria-label={stripWords(record)}>
      {regions.map((region) => {
        const says = byRegion.get(region)?.says;
        if (says === undefined) return <i key={region} class="region-mark" />;
        return <RegionMark key={region} says={says} title={`${region}: ${SAYS_WORDS[says]}`} />;
      })}
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
