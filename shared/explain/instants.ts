import type { Clock } from "./clock.ts";

const INSTANT = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** Parts a text at the UTC instants in it (RFC 3339), which come as Unix ms. */
export function partInstants(text: string): (string | { at: number })[] {
  return text.split(INSTANT).flatMap((part, index) => {
    if (part === "") return [];
    const at = index % 2 === 1 ? Date.parse(part) : Number.NaN;
    return [Number.isNaN(at) ? part : { at }];
  });
}

/** The text with its instants as a clock says them. */
export const withClock = (text: string, clock: Clock): string =>
  partInstants(text)
    .map((part) => (typeof part === "string" ? part : clock(part.at)))
    .join("");
