import { withTimeout } from "./timeout.ts";

const TRIES = 3;
const FIRST_PAUSE_MS = 100;
/** Longer than any call between objects takes that still comes back. */
const LIMIT_MS = 10_000;

/**
 * Calls another object, and retries when that throws or does not return. Deploys and moves cut off calls in flight ("reset
 * because its code was updated"), and the next call succeeds. `call` makes a new stub each time, since one that has thrown stays
 * broken. It sends the same message each time, which receivers recognize by its number. An object that says it is overloaded is
 * left alone. Throws what the last try threw.
 */
export async function callWithRetry<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await withTimeout(call(), LIMIT_MS);
    } catch (error) {
      if (tried >= TRIES || isOverloaded(error)) throw error;
      await scheduler.wait(FIRST_PAUSE_MS * 2 ** (tried - 1) * (0.5 + Math.random()));
    }
  }
}

/** What an error says, for a log: never its stack, never more than a line. */
export function errorMessage(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n", 1)[0]?.slice(0, 300) ?? "";
}

/** The platform marks such errors: https://developers.cloudflare.com/durable-objects/best-practices/error-handling/ */
const isOverloaded = (error: unknown) => error instanceof Error && "overloaded" in error && error.overloaded === true;
