import { describe, expect, it } from "vitest";
import { formatDurationMs, parseDurationMs } from "./duration.ts";

describe("durations as Kubernetes writes them", () => {
  it.each([
    ["30s", 30_000],
    ["1m30s", 90_000],
    ["500ms", 500],
    ["1m", 60_000],
    ["1h", 3_600_000],
    ["1h0m0s", 3_600_000],
    ["1s500ms", 1_500],
    ["90s", 90_000],
    ["0s", 0],
  ])("%s is %i ms", (text, durationMs) => {
    expect(parseDurationMs(text)).toBe(durationMs);
  });

  it.each(["", "30", "s", "1.5s", "-1s", "30 s", "1s1m", "1d", "30S", "30s\n", " 30s", "1e3s", "１s"])(
    "%j is none",
    (text) => {
      expect(parseDurationMs(text)).toBeUndefined();
    },
  );

  it.each([
    [0, "0s"],
    [500, "500ms"],
    [90_000, "1m30s"],
    [3_661_001, "1h1m1s1ms"],
  ])("%i ms reads %s, and back", (durationMs, text) => {
    expect(formatDurationMs(durationMs)).toBe(text);
    expect(parseDurationMs(text)).toBe(durationMs);
  });
});
