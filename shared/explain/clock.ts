/** Formats a time, Unix ms. */
export type Clock = (atMs: number) => string;

const DAY_MS = 86_400_000;
/** The latest valid time of a Date (ECMA-262, time range). */
const LAST_MS = 8.64e15;

/**
 * Returns a clock that formats times as `12:04:31` in a time zone (IANA name; default: the machine's). It adds the day if they
 * are at least 12 hours from `nowMs`. Throws a RangeError for an unknown zone. A time outside the range of Date is "an unknown
 * time".
 */
export function clockIn(nowMs: number, timeZone?: string): Clock {
  const { time, day } = formatsOf(timeZone);
  return (atMs) => {
    if (!(Math.abs(atMs) <= LAST_MS)) return "an unknown time";
    const text = time.format(atMs);
    return Math.abs(nowMs - atMs) < DAY_MS / 2 ? text : `${day.format(atMs)} ${text}`;
  };
}

type Formats = Record<"time" | "day", Intl.DateTimeFormat>;

/** Cached by time zone, because a format takes over a millisecond to make and a page has hundreds of times. */
const formats = new Map<string | undefined, Formats>();

function formatsOf(timeZone: string | undefined): Formats {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const zone = timeZone === undefined ? {} : { timeZone };
  const made = {
    time: new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", ...zone }),
    day: new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", ...zone }),
  };
  formats.set(timeZone, made);
  return made;
}
