const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** How long ago a moment is, in its largest whole unit: `now`, `12 s ago`, `3 min ago`, `in 2 d`. Times in Unix ms. */
export function agoWords(at: number, nowMs: number): string {
  const awayMs = Math.abs(nowMs - at);
  const unit = UNITS.find(([, ms]) => awayMs >= ms);
  if (unit === undefined) return "now";
  const text = `${Math.floor(awayMs / unit[1])} ${unit[0]}`;
  return at > nowMs ? `in ${text}` : `${text} ago`;
}

/** The moment in UTC, to the second: `2026-11-30 12:04:31 UTC`. */
export function utcWords(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
