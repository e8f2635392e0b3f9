import { formatDurationMs } from "../../shared/model/duration.ts";
import type { Call } from "./formats/format.ts";

/** A call that is not over by then has failed. */
const DEADLINE_MS = 10_000;
/** The largest accepted delay, so that a wrong `Retry-After` does not silence us for days. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** The outcome of a call, and why it failed, as text without an address or a key. */
export type Outcome =
  | { type: "Taken" }
  | { type: "Refused"; failure: string }
  | { type: "Failed"; failure: string; retryAfterMs?: number };

/** Tells a target. Redirects are not followed, the answer's body is not read, and everything ends at the deadline. */
export async function post({ url, headers, body }: Call): Promise<Outcome> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), DEADLINE_MS);
  try {
    const request = { method: "POST", headers, body, redirect: "manual", signal: controller.signal } as const;
    const response = await fetch(url, request);
    // A connection that breaks off behind the answer takes nothing from it.
    await response.body?.cancel().catch(() => {});
    return outcomeOf(response, Date.now());
  } catch {
    // What it says may name the address.
    const isLate = controller.signal.aborted;
    return {
      type: "Failed",
      failure: isLate ? `no answer within ${formatDurationMs(DEADLINE_MS)}` : "cannot be reached",
    };
  } finally {
    clearTimeout(timer);
  }
}

/** A request that is wrong stays wrong, but for those that came too slowly (408) or too often (429). */
function outcomeOf({ status, ok, headers }: Response, nowMs: number): Outcome {
  if (ok) return { type: "Taken" };
  const failure = `answered ${status}`;
  if (status >= 400 && status < 500 && status !== 408 && status !== 429) return { type: "Refused", failure };
  const retryAfterMs = retryAfter(headers.get("retry-after"), nowMs);
  return { type: "Failed", failure, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** Seconds or a date (RFC 9110 §10.2.3), as ms from now. */
export function retryAfter(text: string | null, nowMs: number): number | undefined {
  if (text === null) return undefined;
  const ms = /^\d{1,9}$/.test(text.trim()) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms));
}
