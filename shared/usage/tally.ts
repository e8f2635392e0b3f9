import { NO_USAGE, type Objects, type Usage, type UsageOfDay, type UsageOfDays } from "../model/usage.ts";

const DAY_MS = 86_400_000;

/** Cloudflare's days begin at midnight UTC. */
export const dayOf = (atMs: number): number => Math.floor(atMs / DAY_MS);
export const dayBegin = (atMs: number): number => dayOf(atMs) * DAY_MS;

/** A tally that begins now (Unix ms). */
export const newTally = (nowMs: number): UsageOfDays => ({ today: emptyDay(nowMs) });

/** The days as they are now: where a day has begun since, today is empty. A clock that went back stays in its day. */
export function turned(days: UsageOfDays, nowMs: number): UsageOfDays {
  const gone = dayOf(nowMs) - dayOf(days.today.since);
  if (gone <= 0) return days;
  const today = emptyDay(dayBegin(nowMs));
  return gone === 1 ? { today, yesterday: days.today } : { today };
}

/** Adds what was used, in place: it happens with each report. `times` for what was used so often. */
export function addUsage(to: Usage, used: Usage, times = 1): void {
  to.requests += times * used.requests;
  to.rowsRead += times * used.rowsRead;
  to.rowsWritten += times * used.rowsWritten;
  to.awakeMs += times * used.awakeMs;
}

export function sumOf(usages: Iterable<Usage>): Usage {
  const sum = { ...NO_USAGE };
  for (const one of usages) addUsage(sum, one);
  return sum;
}

/** What was used on a day by kind of object. */
export const byObjects = ({ coordinators, clusters, probers }: UsageOfDay): { objects: Objects; used: Usage }[] => [
  { objects: "probers", used: sumOf(Object.values(probers)) },
  { objects: "coordinators", used: coordinators },
  { objects: "clusters", used: clusters },
];

/** What all objects used together on a day. */
export const totalOf = (day: UsageOfDay): Usage => sumOf(byObjects(day).map(({ used }) => used));

/** What several partitions counted on the same day; `since` is the earliest. */
export function joinDays(days: readonly UsageOfDay[]): UsageOfDay | undefined {
  const [first] = days;
  if (first === undefined) return undefined;
  const regions = new Set(days.flatMap(({ probers }) => Object.keys(probers)));
  return {
    since: Math.min(...days.map(({ since }) => since)),
    coordinators: sumOf(days.map(({ coordinators }) => coordinators)),
    clusters: sumOf(days.map(({ clusters }) => clusters)),
    probers: Object.fromEntries(
      [...regions].sort().map((region) => [region, sumOf(days.flatMap(({ probers }) => probers[region] ?? []))]),
    ),
  };
}

function emptyDay(since: number): UsageOfDay {
  return { since, coordinators: { ...NO_USAGE }, clusters: { ...NO_USAGE }, probers: {} };
}
