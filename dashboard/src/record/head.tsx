import type { RecordDetail } from "../../../shared/model/record-detail.ts";
import { stateOf, summaryOf } from "../../../shared/record/summary.ts";
import { isTroubled } from "../overview/headline.ts";
import { groupLeaves } from "../overview/leaf-groups.ts";
import { Fact, useTitle } from "../ui/page.tsx";
import { STATE_WORDS, StateMark } from "../ui/state-mark.tsx";
import { Ago, Since, Time } from "../ui/time.tsx";
import { headline } from "./leaf-facts.ts";

/** The head of the page: the state of the record in one sentence. */
export function RecordHead({ record }: { record: RecordDetail }) {
  const { rootHost, leaves, decidedAt, shares, minPublished, whenSilent } = record;
  const state = stateOf(record);
  const published = leaves.filter((leaf) => leaf.published).length;
  useTitle(rootHost);
  return (
    <header class="record-head">
      <p class="small">
        <a href="/">Overview</a> <span aria-hidden="true">/</span> record
      </p>
      <h1>
        {rootHost}
        <span class="record-state" data-tone={state}>
          {STATE_WORDS[state]}
        </span>
      </h1>
      <div class="record-matter" data-tone={state}>
        <StateMark state={state} />
        <p class="record-headline">{headline(record)}</p>
        <Why record={record} />
        <dl class="facts">
          <Fact name="In DNS">
            {published} of {leaves.length}
          </Fact>
          <Fact name="Last decision">
            {decidedAt === 0 ? (
              "none yet"
            ) : (
              <>
                <Time at={decidedAt} />{" "}
                <span class="muted">
                  (<Ago at={decidedAt} />)
                </span>
              </>
            )}
          </Fact>
          <Fact name={shares.length === 1 ? "Wanted by" : `Wanted by ${shares.length}`}>
            {shares.map(({ cluster, record: name }) => `${name} of ${cluster}`).join(", ")}
          </Fact>
          <Fact name="Keeps at least">{minPublished}</Fact>
          <Fact name="When all are silent">{whenSilent === "Publish" ? "publish" : "freeze"}</Fact>
        </dl>
      </div>
    </header>
  );
}

/** The reasons, at the top, because a failing address may be far down the tree. */
function Why({ record }: { record: RecordDetail }) {
  const stories = groupLeaves(summaryOf(record).leaves.filter(isTroubled));
  if (stories.length === 0) return null;
  return (
    <ul class="record-why">
      {stories.map(({ leaves, why, who, since }) => (
        <li key={leaves[0]}>
          {stories.length > 1 && (
            <>
              <a class="mono" href={`#leaf-${leaves[0]}`}>
                {leaves[0]}
              </a>
              {leaves.length > 1 && ` and ${leaves.length - 1} more`}:{" "}
            </>
          )}
          {why || "unhealthy"}
          {who !== "" && `, seen from ${who}`}
          {since !== undefined && (
            <>
              , <Since at={since} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
