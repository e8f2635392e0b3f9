import { expect, test } from "vitest";
import { clockIn } from "./clock.ts";
import { formatTimestamps, splitTimestamps } from "./timestamps.ts";

test("instants are parted from the text around them", () => {
  const at = Date.UTC(2026, 10, 30, 8, 41, 29, 165);
  expect(splitTimestamps("since 2026-11-30T08:41:29.165Z (9 failed)")).toEqual(["since ", { at }, " (9 failed)"]);
  expect(splitTimestamps("2026-11-30T08:41:29Z")).toEqual([{ at: at - 165 }]);
});

test("what is no instant stays text", () => {
  expect(splitTimestamps("no time at all")).toEqual(["no time at all"]);
  expect(splitTimestamps("at 2026-99-99T08:41:29Z.")).toEqual(["at ", "2026-99-99T08:41:29Z", "."]);
  expect(splitTimestamps("")).toEqual([]);
});

test("a text has its times in the reader's zone", () => {
  const clock = clockIn(Date.UTC(2026, 10, 30, 9), "Asia/Kathmandu");
  expect(formatTimestamps("apac says Unhealthy since 2026-11-30T08:41:29.165Z (3 in a row)", clock)).toBe(
    "apac says Unhealthy since 14:26:29 (3 in a row)",
  );
});
