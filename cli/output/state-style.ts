import type { Style } from "./terminal.ts";

/** Colours repeat what the word says. An unknown word of a newer edge has no colour. */
const STYLES: Partial<Record<string, Style>> = {
  Critical: ["red", "bold"],
  Unhealthy: "red",
  failed: "red",
  Degraded: "red",
  Warning: "yellow",
  Pending: "yellow",
  Unknown: "yellow",
  Silent: "yellow",
  indeterminate: "yellow",
  NotProbed: "dim",
  Healthy: "green",
  ok: "green",
};

/** Returns the style of a state, a verdict or an outcome. */
export const styleOf = (word: string): Style => STYLES[word] ?? "reset";
