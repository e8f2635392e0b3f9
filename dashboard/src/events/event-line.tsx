import { Component } from "preact";
import { recordPath } from "../router.ts";
import { TextWithTimes, Time } from "../ui/time.tsx";
import { clusterOf } from "./filter.ts";
import { typeWords } from "./kinds.ts";
import { keyOf, type TimelineEvent } from "./timeline.ts";
import "./events.css";

interface Shown {
  event: TimelineEvent;
  /** The host of the surrounding page, which is not repeated. */
  host?: string;
  /** The current hour. A new hour draws the line again, because yesterday's times show their day. */
  hour: number;
}

/** One event: when, what, and links. Memoized, because a page has hundreds of them. */
export class EventLine extends Component<Shown> {
  override shouldComponentUpdate({ event, host, hour }: Shown): boolean {
    return event !== this.props.event || host !== this.props.host || hour !== this.props.hour;
  }

  override render({ event, host }: Shown) {
    const { words, tone } = typeWords(event);
    return (
      <li class={`event event-${tone}`} data-event={keyOf(event)}>
        <span class="event-time">
          <Time at={event.at} />
        </span>
        <span class="event-sign" aria-hidden="true" />
        <div class="event-body">
          <p>
            <strong class="event-type">{words}</strong>{" "}
            <span class="event-message">
              <TextWithTimes text={event.message} />
            </span>
          </p>
          <Links event={event} host={host} />
        </div>
      </li>
    );
  }
}

function Links({ event, host }: { event: TimelineEvent; host: string | undefined }) {
  const { rootHost, region } = event;
  const cluster = clusterOf(event);
  return (
    <p class="event-links small">
      {rootHost !== undefined && rootHost !== host && <a href={recordPath(rootHost)}>{rootHost}</a>}
      {cluster !== undefined && <a href={`/clusters#cluster-${cluster}`}>cluster {cluster}</a>}
      {region !== undefined && <a href="/regions">region {region}</a>}
    </p>
  );
}
