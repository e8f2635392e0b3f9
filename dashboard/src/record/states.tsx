import type { RecordDetail } from "../../../shared/model/record-detail.ts";
import type { ApiError } from "../api/client.ts";
import { PageHead } from "../ui/page.tsx";
import { EmptyNote, ErrorNote } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { WhatNext } from "./what-next.tsx";

/** No record has this host; `last` is what was shown of it before it went. */
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

/** The record could not be read (again): why, and how old what is shown below is. */
export function RecordFault({ fault, readAt }: { fault: ApiError; readAt: number | undefined }) {
  return (
    <ErrorNote title={readAt === undefined ? "The record cannot be read" : "The record cannot be read at the moment"}>
      <p>
        {fault.message}{" "}
        {readAt === undefined ? (
          <WhatNext fault={fault} otherwise="The page asks again every 10 seconds." />
        ) : (
          <>
            What is shown below is of <Time at={readAt} />; the page asks again every 10 seconds.
          </>
        )}
      </p>
    </ErrorNote>
  );
}
