import { setTimeout as pause } from "node:timers/promises";

const PAUSE_MS = 50;

/**
 * Waits until `holds` gives something other than undefined or false, and gives that. `what` is named when it does not
 * within `limitMs`, with what was seen last.
 */
export async function until<Value>(
  what: string,
  holds: () => Value | Promise<Value>,
  limitMs = 90_000,
  seen: () => unknown = () => undefined,
): Promise<Exclude<Value, undefined | false>> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const value = await holds();
    if (value !== undefined && value !== false) return value as Exclude<Value, undefined | false>;
    if (Date.now() > deadline) {
      const last = seen();
      throw new Error(
        `waited ${limitMs} ms for ${what}${last === undefined ? "" : `; seen last: ${JSON.stringify(last)}`}`,
      );
    }
    await pause(PAUSE_MS);
  }
}
