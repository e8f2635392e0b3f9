import type { Style } from "./terminal.ts";

/** Colours only underline what the word says. A word that is not here, say of a newer edge, has none. */
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

/** The style of a state, a verdict or an outcome. */
export const styleOf = (word: string): Style => STYLES[word] ?? "reset";
