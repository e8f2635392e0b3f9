/** The value below which so many of a hundred are; NaN of none. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}

/** `12 / 48 / 90 ms`: half of them, 99 of a hundred, and all of them are below. */
export function spread(values: readonly number[], unit = "ms"): string {
  return `${[50, 99, 100].map((percent) => short(percentile(values, percent))).join(" / ")} ${unit}`;
}

/** With three digits, or all there are before the point. */
export function short(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
