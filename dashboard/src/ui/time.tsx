import { Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import { clockIn } from "../../../shared/explain/clock.ts";
import { splitTimestamps } from "../../../shared/explain/timestamps.ts";
import { edgeNow, useView } from "../api/store.ts";

const tickers = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;

/**
 * The current time by the edge's clock, Unix ms, updated every `everyMs` (whole seconds). All callers share one timer.
 */
export function useNow(everyMs = 1_000): number {
  const skewMs = useView((view) => view.skewMs);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const tick = () => setNow((before) => (Date.now() - before < everyMs - 500 ? before : Date.now()));
    tickers.add(tick);
    ticking ??= setInterval(tickAll, 1_000);
    return () => {
      tickers.delete(tick);
      if (tickers.size > 0) return;
      clearInterval(ticking);
      ticking = undefined;
    };
  }, [everyMs]);
  return now + skewMs;
}

function tickAll(): void {
  for (const tick of tickers) tick();
}

/**
 * A time in the viewer's zone, `12:04:31`, with its day if that is not today; UTC on hover. It does not update itself,
 * because a page has hundreds; the parent renders it again within half a day.
 */
export function Time({ at, now = edgeNow() }: { at: number; now?: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={utc(at)}>
      {clockIn(now)(at)}
    </time>
  );
}

/** The age of something, `12 s ago`; the time in UTC on hover. */
export function Ago({ at }: { at: number }) {
  const now = useNow();
  return (
    <time dateTime={new Date(at).toISOString()} title={utc(at)}>
      {spanWords(now - at)} ago
    </time>
  );
}

/** `since 12:04:31 (4 min)`. */
export function Since({ at }: { at: number }) {
  const now = useNow();
  return (
    <span class="since">
      since <Time at={at} now={now} /> ({spanWords(now - at)})
    </span>
  );
}

/** Formats a duration in its largest one or two units: `12 s`, `4 min`, `3 h 20 min`, `2 days`. */
export function spanWords(spanMs: number): string {
  const seconds = Math.max(0, Math.floor(spanMs / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return days === 1 ? "1 day" : `${days} days`;
}

function utc(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

/** A message of the edge, with its timestamps in the viewer's zone. */
export function TextWithTimes({ text }: { text: string }) {
  return (
    <>
      {splitTimestamps(text).map((part, index) => (
        // The parts of one text have no other key.
        <Fragment key={`${index}`}>{typeof part === "string" ? part : <Time at={part.at} />}</Fragment>
      ))}
    </>
  );
}
