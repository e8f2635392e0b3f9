import { recordPath } from "../router.ts";
import { Time } from "../ui/time.tsx";
import { clusterOf } from "./filter.ts";
import { typeWords } from "./kinds.ts";
import { keyOf, type TimelineEvent } from "./timeline.ts";
import "./events.css";

/** One event: when, what, and where to look further. `host` leaves out what the page around it says already. */
export function EventLine({ event, host }: { event: TimelineEvent; host?: string }) {
  const { words, tone } = typeWords(event);
  const cluster = clusterOf(event);
  return (
    <li class={`event event-${tone}`} data-event={keyOf(event)}>
      <span class="event-time">
        <Time at={event.at} />
      </span>
      <span class="event-sign" aria-hidden="true" />
      <div class="event-body">
        <p>
          <strong class="event-type">{words}</strong> <span class="event-message">{event.message}</span>
        </p>
        <p class="event-links small">
          {event.rootHost !== undefined && event.rootHost !== host && (
            <a href={recordPath(event.rootHost)}>{event.rootHost}</a>
          )}
          {cluster !== undefined && <a href={`/clusters#cluster-${cluster}`}>cluster {cluster}</a>}
          {event.region !== undefined && <a href="/regions">region {event.region}</a>}
        </p>
      </div>
    </li>
  );
}
