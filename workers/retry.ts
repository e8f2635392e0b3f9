import { withTimeout } from "./timeout.ts";

const TRIES = 3;
const FIRST_PAUSE_MS = 100;
/** Longer than any successful call between objects takes. */
const LIMIT_MS = 10_000;

/**
 * Calls another object, and repeats the call if it throws or times out.
 *
 * - Deploys and migrations of objects cut off calls ("reset because its code was updated"); the next one succeeds.
 * - `call` must create its stub each time, since a stub that has thrown stays broken.
 * - `call` must send the same message each time; receivers recognize it by its number.
 * - An overloaded object is not called again.
 *
 * Throws the error of the last try.
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

/** The message of an error for a log: one line, without its stack. */
export function errorMessage(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n", 1)[0]?.slice(0, 300) ?? "";
}

/** The platform sets this property: https://developers.cloudflare.com/durable-objects/best-practices/error-handling/ */
const isOverloaded = (error: unknown) => error instanceof Error && "overloaded" in error && error.overloaded === true;
