import type { RecordDetail } from "../../../shared/model/record-detail.ts";
import { useView } from "../api/store.ts";
import type { Charted } from "../charts/panel.tsx";
import { lazy } from "../ui/lazy.tsx";
import { PageHead } from "../ui/page.tsx";
import { EmptyNote, ErrorHint, ErrorNote, Skeleton } from "../ui/states.tsx";
import { Advisories } from "./advisories.tsx";
import { RecordHead } from "./head.tsx";
import { unreachedOf, worstLeaf } from "./leaf-facts.ts";
import { RecentEvents } from "./recent-events.tsx";
import { Steps } from "./steps.tsx";
import { Tree } from "./tree.tsx";
import { useRecord } from "./use-record.ts";
import "./record.css";
import type { ApiError } from "../api/client.ts";
import { Time } from "../ui/time.tsx";

const History = lazy<Charted>(() => import("../charts/panel.tsx"));

/** The page of one record: what is out of DNS, why, since when, seen from where, and how it was decided. */
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
      {/* The header already says it if nothing answers at all. */}
      {fault !== undefined && fault.status !== 0 && <RecordFault fault={fault} readAt={readAt} />}
      <Whole record={record} />
    </>
  );
}

function Whole({ record }: { record: RecordDetail }) {
  // By the clock of the edge, because the times come from it.
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

/** With fewer addresses the page is short enough to scroll. */
const MANY = 5;

const PARTS = [
  ["history", "Latency and availability"],
  ["recent", "What happened of late"],
  ["steps", "The decision, step by step"],
] as const;

/** Links past a long list of addresses. */
export function Jumps({ record }: { record: RecordDetail }) {
  if (record.leaves.length <= MANY) return null;
  return (
    <nav class="jumps small" aria-label="On this page">
      {PARTS.map(([id, words]) => (
        <a key={id} href={`#${id}`}>
          {words}
        </a>
      ))}
    </nav>
  );
}

/** A warning that decisions do not reach a cluster of this record, so its DNS may differ from this page. */
export function Unreached({ record }: { record: RecordDetail }) {
  const clusters = useView((view) => view.overview?.clusters);
  const names = unreachedOf(record, clusters ?? []);
  if (names.length === 0) return null;
  const are = names.length === 1 ? "is" : "are";
  return (
    <ErrorNote title={`${names.join(", ")} ${are} unreachable`}>
      What was decided since does not get through, so that DNS may not be as this page says.{" "}
      <a href="/clusters">Clusters</a> has since when, and why.
    </ErrorNote>
  );
}

/** No record has this host. `last` is the content before it was removed. */
export function RecordGone({ host, last }: { host: string; last: RecordDetail | undefined }) {
  return (
    <>
      <PageHead title={host} />
      <EmptyNote
        title={last === undefined ? "No record has this host" : "This record was removed while you looked at it"}
      >
        <p>
          {last === undefined
            ? "It may have been removed, or its cluster may not have pushed it yet. Records appear here within seconds of the push. One that is refused says why in its condition Accepted, where it was written."
            : "No cluster wants it watched any more. What is in DNS now is for its cluster's own means to say."}
        </p>
        <p class="note-actions">
          <a href="/">All records</a>
          <a href={`/events?host=${encodeURIComponent(host)}`}>Events of this host</a>
        </p>
      </EmptyNote>
    </>
  );
}

/** The record cannot be read: why, and how old the content below is. */
export function RecordFault({ fault, readAt }: { fault: ApiError; readAt: number | undefined }) {
  return (
    <ErrorNote title={readAt === undefined ? "The record cannot be read" : "The record cannot be read at the moment"}>
      <p>
        {fault.message}{" "}
        {readAt === undefined ? (
          <ErrorHint fault={fault} otherwise="The page asks again every 10 seconds." />
        ) : (
          <>
            What is shown below is of <Time at={readAt} />; the page asks again every 10 seconds.
          </>
        )}
      </p>
    </ErrorNote>
  );
}
