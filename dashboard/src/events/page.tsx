import { useEffect, useMemo, useState } from "preact/hooks";
import { PageHead } from "../ui/page.tsx";
import { EmptyNote, ErrorHint, ErrorNote, Skeleton } from "../ui/states.tsx";
import { Time, useNow } from "../ui/time.tsx";
import { EventLine } from "./event-line.tsx";
import { type EventFilter, isFiltering, matches, useFilter } from "./filter.ts";
import { Filters } from "./filters.tsx";
import { linesOf, newestIds, type PausedAt, splitPaused, type TimelineEvent, type TimelineLine } from "./timeline.ts";
import { type Timeline, useTimeline } from "./use-timeline.ts";
import "./events.css";

const PAGE_SIZE = 200;
/** Above this count, events out of sight are not laid out. */
const MANY = 200;
const HOUR_MS = 3_600_000;
/** Closer to the top than this, the viewer is not reading older events. */
const TOP_PX = 160;

/** All events, newest first. */
export default function EventsPage() {
  const timeline = useTimeline(PAGE_SIZE);
  const [filter, setFilter] = useFilter();
  const [pausedAt, release] = usePausedAt(timeline.events);
  const { shown, waiting } = useMemo(() => splitPaused(timeline.events, pausedAt), [timeline.events, pausedAt]);
  const lines = useMemo(() => filtered(shown, filter), [shown, filter]);
  const fresh = waiting.filter((event) => matches(event, filter)).length;
  return (
    <>
      <PageHead title="Events" />
      <Filters filter={filter} change={setFilter} events={timeline.events} />
      {timeline.fault !== undefined && (
        <ErrorNote title="Events cannot be read at the moment">
          <p>
            {timeline.fault.message}{" "}
            <ErrorHint fault={timeline.fault} otherwise="What is shown below may lack the newest." />
          </p>
          <p>
            <button type="button" onClick={timeline.retry}>
              Try again
            </button>
          </p>
        </ErrorNote>
      )}
      <div>
        <div class="fresh-events" role="status">
          {fresh > 0 && (
            <button type="button" class="primary" onClick={release}>
              {fresh === 1 ? "1 new event" : `${fresh} new events`}
            </button>
          )}
        </div>
        {timeline.isLoading && timeline.events.length === 0 ? (
          <Skeleton label="Loading events" />
        ) : (
          <Lines lines={lines} timeline={timeline} isFiltered={isFiltering(filter)} />
        )}
      </div>
    </>
  );
}

interface Shown {
  lines: TimelineLine[];
  timeline: Timeline;
  isFiltered: boolean;
}

function Lines({ lines, timeline, isFiltered }: Shown) {
  const { isWhole, isLoadingOlder, loadOlder, events, fault } = timeline;
  const now = useNow(HOUR_MS / 60);
  if (lines.length === 0 && isWhole) {
    return isFiltered ? (
      <EmptyNote title="No event fits these filters">
        <p>
          {events.length} were looked through. <a href="/events">Show all</a>
        </p>
      </EmptyNote>
    ) : (
      <EmptyNote title="Nothing has happened yet">
        <p>Verdicts, decisions and deliveries appear here as they come about.</p>
      </EmptyNote>
    );
  }
  const oldest = events.at(-1);
  const hour = Math.floor(now / HOUR_MS);
  return (
    <>
      {lines.length > 0 && (
        <ol class={`timeline timeline-page card${lines.length > MANY ? " long" : ""}`}>
          {lines.map((line) =>
            line.kind === "event" ? (
              <EventLine key={`${line.event.partition}-${line.event.id}`} event={line.event} hour={hour} />
            ) : (
              <Gap key={line.key} missing={line.missing} />
            ),
          )}
        </ol>
      )}
      <div class="timeline-end small muted">
        {oldest !== undefined && (
          <span>
            {isFiltered && `${lines.length} of ${events.length} fit. `}
            {isWhole ? "The log begins here: " : "Read back to "}
            <Time at={oldest.at} />
          </span>
        )}
        {!isWhole && fault === undefined && (
          <button type="button" onClick={loadOlder} disabled={isLoadingOlder}>
            {isLoadingOlder ? "Loading older events" : "Load older events"}
          </button>
        )}
      </div>
    </>
  );
}

function Gap({ missing }: { missing: number }) {
  return (
    <li class="event-gap small">
      {missing === 1 ? "1 event is missing here" : `${missing} events are missing here`}: the log no longer has
      {missing === 1 ? " it" : " them"}, or this page lost them on the way.
    </li>
  );
}

/** Gaps are a property of the log, so they are shown only without a filter. */
function filtered(events: readonly TimelineEvent[], filter: EventFilter): TimelineLine[] {
  if (!isFiltering(filter)) return linesOf(events);
  return events.filter((event) => matches(event, filter)).map((event) => ({ kind: "event", event }));
}

/** Pauses the timeline while the viewer reads further down. */
function usePausedAt(events: readonly TimelineEvent[]): [PausedAt | undefined, () => void] {
  const [pausedAt, setPausedAt] = useState<PausedAt>();
  useEffect(() => {
    const look = () => {
      const isDown = scrollY > TOP_PX;
      setPausedAt((before) => (isDown ? (before ?? newestIds(events)) : undefined));
    };
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, [events]);
  const release = () => {
    setPausedAt(undefined);
    scrollTo({ top: 0 });
  };
  return [pausedAt, release];
}
