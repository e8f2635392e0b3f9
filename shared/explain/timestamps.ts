import type { Clock } from "./clock.ts";

const INSTANT = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** Splits a text at its UTC timestamps (RFC 3339), which become Unix ms. */
export function splitTimestamps(text: string): (string | { at: number })[] {
  return text.split(INSTANT).flatMap((part, index) => {
    if (part === "") return [];
    const at = index % 2 === 1 ? Date.parse(part) : Number.NaN;
    return [Number.isNaN(at) ? part : { at }];
  });
}

/** Formats the timestamps in a text by a clock. */
export const formatTimestamps = (text: string, clock: Clock): string =>
  splitTimestamps(text)
    .map((part) => (typeof part === "string" ? part : clock(part.at)))
    .join("");
