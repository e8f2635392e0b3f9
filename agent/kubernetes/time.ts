/** RFC 3339 in UTC, of Unix ms. */
export const rfc3339 = (atMs: number): string => new Date(atMs).toISOString();

/** Parses RFC 3339 to Unix ms; undefined for other text. */
export function parseTime(text: string | undefined): number | undefined {
  const atMs = Date.parse(text ?? "");
  return Number.isNaN(atMs) || atMs < 0 ? undefined : atMs;
}
