/** Says a time for people. */
export type Clock = (atMs: number) => string;

const DAY_MS = 86_400_000;

/**
 * Times as `12:04:31` in a time zone (IANA name; by default that of the machine), with the day before them where they are
 * more than 12 hours from `nowMs`.
 */
export function clockIn(nowMs: number, timeZone?: string): Clock {
  const zone = timeZone === undefined ? {} : { timeZone };
  const time = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", ...zone });
  const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", ...zone });
  return (atMs) => {
    const text = time.format(atMs);
    return Math.abs(nowMs - atMs) < DAY_MS / 2 ? text : `${day.format(atMs)} ${text}`;
  };
}
