import { EventLine } from "../events/event-line.tsx";
import { keyOf } from "../events/timeline.ts";
import { useTimeline } from "../events/use-timeline.ts";
import { Skeleton } from "../ui/states.tsx";
import { useNow } from "../ui/time.tsx";

/** The number of newest events that are searched for this host. */
const LAST = 500;
const SHOWN = 12;

/** The recent events of this record. */
export function RecentEvents({ host }: { host: string }) {
  const { events, isLoading, isWhole, fault } = useTimeline(LAST);
  const hour = Math.floor(useNow(60_000) / 3_600_000);
  const own = events.filter(({ rootHost }) => rootHost === host).slice(0, SHOWN);
  return (
    <section class="card padded" aria-labelledby="recent">
      <h2 id="recent">What happened of late</h2>
      {own.length > 0 && (
        <ol class="timeline">
          {own.map((event) => (
            <EventLine key={keyOf(event)} event={event} host={host} hour={hour} />
          ))}
        </ol>
      )}
      {own.length === 0 && isLoading && <Skeleton label="Loading events" rows={2} />}
      {own.length === 0 && !isLoading && (
        <p class="muted">
          {fault?.message ??
            (isWhole
              ? "Nothing of late: no verdict and no decision has changed."
              : `None of the newest ${events.length} events, of all records, is of this one.`)}
        </p>
      )}
      <p class="small">
        <a href={`/events?host=${encodeURIComponent(host)}`}>All events of this host</a>
      </p>
    </section>
  );
}
