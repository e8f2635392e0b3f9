/** RFC 3339 in UTC, of Unix ms. */
export const timeText = (atMs: number): string => new Date(atMs).toISOString();
