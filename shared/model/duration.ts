import { z } from "zod";

const UNIT_MS = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;
const DURATION_RULE = 'must be a duration such as "30s" or "1m30s"';
const DURATION = /^(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?$/;

/** Reads a duration as Kubernetes writes it (`30s`, `1m30s`, `500ms`); milliseconds, or undefined where it is none. */
export function parseDurationMs(text: string): number | undefined {
  const parts = DURATION.exec(text);
  if (text === "" || parts === null) return undefined;
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

/** A duration field that stays as it was written, refused outside `[minMs, maxMs]`. */
export function durationText(minMs: number, maxMs: number) {
  const rangeRule = `must be from ${formatDurationMs(minMs)} to ${formatDurationMs(maxMs)}`;
  return z.string({ error: DURATION_RULE }).superRefine((text, context) => {
    const durationMs = parseDurationMs(text);
    const isInRange = durationMs !== undefined && durationMs >= minMs && durationMs <= maxMs;
    if (isInRange) return;
    const message = durationMs === undefined ? DURATION_RULE : rangeRule;
    context.addIssue({ code: "custom", message, input: text, continue: false });
  });
}

/** A duration field: text in, milliseconds out, refused outside `[minMs, maxMs]`. */
export function duration(minMs: number, maxMs: number) {
  return durationText(minMs, maxMs).transform((text) => parseDurationMs(text) ?? z.NEVER);
}
