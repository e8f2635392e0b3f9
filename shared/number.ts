import type { MessageNumber } from "./model/number.ts";

/** Older than every number that a sender gives out. */
export const NO_NUMBER: MessageNumber = { epoch: 0, n: 0 };

/** Below zero where `a` is older than `b`, zero where they are the same, above zero where it is newer. */
export function compareNumbers(a: MessageNumber, b: MessageNumber): number {
  return a.epoch - b.epoch || a.n - b.n;
}

/** Whether a message numbered `candidate` may replace what was taken from `held`. The same number is not newer. */
export function isNewer(candidate: MessageNumber, held: MessageNumber): boolean {
  return compareNumbers(candidate, held) > 0;
}

/** `epoch.n`, as `?after=` and entity tags carry it. */
export function formatNumber(number: MessageNumber): string {
  return `${number.epoch}.${number.n}`;
}

/** The inverse of {@link formatNumber}; undefined for anything else. */
export function parseNumber(text: string): MessageNumber | undefined {
  const parts = /^(\d{1,16})\.(\d{1,16})$/.exec(text);
  if (parts === null) return undefined;
  const number = { epoch: Number(parts[1]), n: Number(parts[2]) };
  return Number.isSafeInteger(number.epoch) && Number.isSafeInteger(number.n) ? number : undefined;
}
