/** Says a time for people. */
export type Clock = (atMs: number) => string;

const DAY_MS = 86_400_000;
/** The last instant that a date can be (ECMA-262, time range). */
const LAST_MS = 8.64e15;

/**
 * Times as `12:04:31` in a time zone (IANA name; by default that of the machine), with the day before them where they are
 * 12 hours and more from `nowMs`. Throws a RangeError for a zone that is not known; an instant that no date can be is
 * "an unknown time".
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

/** By time zone: one takes a millisecond and more to make, and a page of hundreds of times makes a clock for each. */
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
