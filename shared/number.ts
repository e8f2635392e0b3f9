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

const DAY_MS = 86_400_000;
/** Far beyond what is ever counted, and with room above it for as much again. */
const MAX_N = 2 ** 52;

/**
 * Whether to adopt a higher number that a receiver reports. A sender whose storage was put back, or whose clock is behind, gets
 * such numbers. An epoch more than a day ahead of the clock (`nowMs`, Unix ms) is nonsense, unless the own one is as far ahead.
 */
export function isCredible(told: MessageNumber, own: MessageNumber, nowMs: number): boolean {
  return told.epoch <= Math.max(own.epoch, nowMs + DAY_MS);
}

/** The next number above one: of its epoch, as long as that has any. */
export function numberAbove({ epoch, n }: MessageNumber): MessageNumber {
  return n < MAX_N ? { epoch, n: n + 1 } : { epoch: epoch + 1, n: 1 };
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
