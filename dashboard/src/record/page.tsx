import type { RecordDetail } from "../../../shared/model/record-detail.ts";
import { useView } from "../api/store.ts";
import { lazy } from "../ui/lazy.tsx";
import { PageHead } from "../ui/page.tsx";
import { Skeleton } from "../ui/states.tsx";
import { useNow } from "../ui/time.tsx";
import { Advisories } from "./advisories.tsx";
import { RecordHead } from "./head.tsx";
import { RecentEvents } from "./recent-events.tsx";
import { RecordFault, RecordGone } from "./states.tsx";
import { Steps } from "./steps.tsx";
import { Tree } from "./tree.tsx";
import { useRecord } from "./use-record.ts";
import "./record.css";

const History = lazy<{ host: string }>(() => import("../charts/panel.tsx"));

/** One record: what is out of DNS, why, since when, as seen from where; then how it came about. */
export default function RecordPage({ host }: { host: string }) {
  const { record, readAt, fault } = useRecord(host);
  if (fault?.status === 404) return <RecordGone host={host} last={record} />;
  if (record === undefined) {
    return (
      <>
        <PageHead title={host} />
        {fault === undefined ? (
          <Skeleton label={`Loading ${host}`} />
        ) : (
          <RecordFault fault={fault} readAt={undefined} />
        )}
      </>
    );
  }
  return (
    <>
      {fault !== undefined && <RecordFault fault={fault} readAt={readAt} />}
      <Whole record={record} />
    </>
  );
}

/** Sentences name times by the clock: those of another day are worded anew when the day has gone by. */
const REWORD_MS = 30_000;

function Whole({ record }: { record: RecordDetail }) {
  const now = useNow(REWORD_MS);
  const state = useView((view) => view.overview?.records.find(({ rootHost }) => rootHost === record.rootHost)?.state);
  return (
    <>
      <RecordHead record={record} state={state} />
      <Advisories record={record} />
      <Tree record={record} now={now} />
      <History host={record.rootHost} />
      <div class="record-columns">
        <Steps record={record} now={now} />
        <RecentEvents host={record.rootHost} />
      </div>
    </>
  );
}
