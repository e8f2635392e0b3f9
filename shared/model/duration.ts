import { z } from "zod";
import { type CelRule, cel, celText } from "./cel.ts";

const UNIT_MS = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;
const DURATION_RULE = 'must be a duration such as "30s" or "1m30s"';
const MAX_CHARACTERS = 32;
const DURATION = /^(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?$/;

/** Reads a duration as Kubernetes writes it (`30s`, `1m30s`, `500ms`); milliseconds, or undefined for any other text. */
export function parseDurationMs(text: string): number | undefined {
  const parts = DURATION.exec(text);
  if (text === "" || text.length > MAX_CHARACTERS || parts === null) return undefined;
  const [, hours = "0", minutes = "0", seconds = "0", milliseconds = "0"] = parts;
  return Number(hours) * UNIT_MS.h + Number(minutes) * UNIT_MS.m + Number(seconds) * UNIT_MS.s + Number(milliseconds);
}

/** Writes milliseconds as Kubernetes does: `90_000` becomes `1m30s`. The inverse of {@link parseDurationMs}. */
export function formatDurationMs(durationMs: number): string {
  let rest = durationMs;
  let text = "";
  for (const [unit, unitMs] of Object.entries(UNIT_MS)) {
    const count = Math.floor(rest / unitMs);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * unitMs;
  }
  return text || "0s";
}

/**
 * Whether a field is such a duration, in CEL. CEL's own `duration()` fails on any other text, and accepts fractions and signs.
 */
export function isDurationInCel(field: string): string {
  return `size(${field}) > 0 && ${field}.matches(${celText("^([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$")})`;
}

/** A duration field that stays as it was written, refused outside `[minMs, maxMs]`. `more` is a further CEL rule on the value. */
export function durationText(minMs: number, maxMs: number, ...more: readonly CelRule[]) {
  const [least, most] = [formatDurationMs(minMs), formatDurationMs(maxMs)];
  const range = `from ${least} to ${most}`;
  const check = (text: string, context: z.core.$RefinementCtx) => {
    const durationMs = parseDurationMs(text);
    const isInRange = durationMs !== undefined && durationMs >= minMs && durationMs <= maxMs;
    if (isInRange) return;
    const message = durationMs === undefined ? DURATION_RULE : `must be ${range}`;
    context.addIssue({ code: "custom", message, input: text, continue: false });
  };
  const isInRange = `duration(self) >= duration('${least}') && duration(self) <= duration('${most}')`;
  const twin = { rule: `${isDurationInCel("self")} && ${isInRange}`, message: `${DURATION_RULE}, ${range}` };
  return z
    .string({ error: DURATION_RULE })
    .superRefine(check)
    .meta({ maxLength: MAX_CHARACTERS, ...cel(twin, ...more) });
}

/** A duration field: text in, milliseconds out, refused outside `[minMs, maxMs]`. */
export function duration(minMs: number, maxMs: number) {
  return durationText(minMs, maxMs).transform((text) => parseDurationMs(text) ?? z.NEVER);
}
