import type { RecordDetail } from "../../../shared/model/record-detail.ts";
import { useView } from "../api/store.ts";
import type { Charted } from "../charts/panel.tsx";
import { lazy } from "../ui/lazy.tsx";
import { PageHead } from "../ui/page.tsx";
import { Skeleton } from "../ui/states.tsx";
import { Advisories } from "./advisories.tsx";
import { worstLeaf } from "./facts.ts";
import { RecordHead } from "./head.tsx";
import { Jumps } from "./jumps.tsx";
import { RecentEvents } from "./recent-events.tsx";
import { RecordFault, RecordGone } from "./states.tsx";
import { Steps } from "./steps.tsx";
import { Tree } from "./tree.tsx";
import { Unreached } from "./unreached.tsx";
import { useRecord } from "./use-record.ts";
import "./record.css";

const History = lazy<Charted>(() => import("../charts/panel.tsx"));

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
      {/* That nothing answers at all, the whole page says. */}
      {fault !== undefined && fault.status !== 0 && <RecordFault fault={fault} readAt={readAt} />}
      <Whole record={record} />
    </>
  );
}

function Whole({ record }: { record: RecordDetail }) {
  // By the clock of the edge, whose times these are. Each read words all anew.
  const now = Date.now() + useView((view) => view.skewMs);
  return (
    <>
      <RecordHead record={record} />
      <Unreached record={record} />
      <Advisories record={record} />
      <Jumps record={record} />
      <Tree record={record} now={now} />
      <History
        host={record.rootHost}
        decidedAt={record.decidedAt}
        troubled={worstLeaf(record)}
        isProbed={record.probes.length > 0}
      />
      <div class="record-below">
        <RecentEvents host={record.rootHost} />
        <Steps record={record} now={now} />
      </div>
    </>
  );
}
