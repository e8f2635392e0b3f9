/** RFC 3339 in UTC, of Unix ms. */
export const rfc3339 = (atMs: number): string => new Date(atMs).toISOString();

/** Unix ms of RFC 3339; undefined where the text is none. */
export function parseTime(text: string | undefined): number | undefined {
  const atMs = Date.parse(text ?? "");
  return Number.isNaN(atMs) || atMs < 0 ? undefined : atMs;
}
