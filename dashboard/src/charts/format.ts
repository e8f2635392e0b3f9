/** Formats milliseconds: `0.8 ms`, `42 ms`, `1.24 s`; a dash for null. */
export function formatMs(ms: number | null): string {
  if (ms === null) return "–";
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(2)} s`;
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

/**
 * Formats a share in per cent: `100 %`, `99.95 %`, `0 %`. It never rounds to 0 or 100: one failure in a million is
 * `99.99 %`, one success `0.01 %`.
 */
export function formatPercent(share: number | null): string {
  if (share === null) return "–";
  if (share === 0 || share === 1) return `${share * 100} %`;
  const percent = Math.min(99.99, Math.max(0.01, share * 100));
  return `${percent.toFixed(2)} %`;
}

/** Formats a whole number with thousands separators: `12,480`. */
export const formatCount = (count: number): string => count.toLocaleString("en");
