import type { RecordState } from "../../../shared/model/overview.ts";
import type { RecordDetail } from "../../../shared/model/record-detail.ts";
import { useTitle } from "../ui/page.tsx";
import { Ago, Time } from "../ui/time.tsx";
import { Fact } from "./fact.tsx";
import { headline, recordTone } from "./facts.ts";
import { ToneMark } from "./mark.tsx";

/** What is the matter, in one sentence, before anything else. */
export function RecordHead({ record, state }: { record: RecordDetail; state: RecordState | undefined }) {
  const { rootHost, leaves, decidedAt, shares, minPublished, whenSilent } = record;
  const tone = recordTone(record);
  const published = leaves.filter((leaf) => leaf.published).length;
  useTitle(rootHost);
  return (
    <header class={`record-head tone-${tone}`}>
      <p class="record-crumb small">
        <a href="/">Overview</a> <span aria-hidden="true">/</span> record
      </p>
      <h1>
        {rootHost}
        {state !== undefined && <span class="record-state">{state === "NotProbed" ? "Not probed" : state}</span>}
      </h1>
      <p class="record-headline">
        <ToneMark tone={tone} />
        <span>{headline(record)}</span>
      </p>
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
    </header>
  );
}
