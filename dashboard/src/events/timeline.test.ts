import { expect, test } from "vitest";
import { joinEvents, linesOf, newestIds, splitPaused, type TimelineEvent } from "./timeline.ts";

const event = (partition: number, id: number, at = id): TimelineEvent => ({
  partition,
  id,
  at,
  type: "DecisionChanged",
  message: "m",
});
const seen = (events: readonly TimelineEvent[]) =>
  linesOf(events).map((line) =>
    line.kind === "gap" ? `${line.missing} missing` : `${line.event.partition}-${line.event.id}`,
  );

test("what was read twice is there once, the newest first", () => {
  const joined = joinEvents([event(0, 1), event(0, 2)], [event(0, 2), event(0, 3), event(1, 1, 2)]);
  expect(seen(joined)).toEqual(["0-3", "1-1", "0-2", "0-1"]);
});

test("missing ids are named where they are missing, for each partition", () => {
  const joined = joinEvents([event(0, 9), event(0, 4), event(1, 7, 5), event(1, 6, 5)]);
  expect(seen(joined)).toEqual(["0-9", "4 missing", "1-7", "1-6", "0-4"]);
});

test("a clock that was put back makes no gap, and nothing is missing before the oldest", () => {
  expect(seen(joinEvents([event(0, 5, 100), event(0, 6, 50), event(0, 7, 120)]))).toEqual(["0-7", "0-5", "0-6"]);
  expect(seen([])).toEqual([]);
});

test("newer events wait while the view is paused, older pages are shown", () => {
  const held = newestIds([event(0, 5), event(0, 7), event(1, 2)]);
  const { shown, waiting } = splitPaused([event(0, 8), event(0, 7), event(1, 3), event(0, 1), event(2, 1)], held);
  expect(shown).toEqual([event(0, 7), event(0, 1)]);
  expect(waiting).toEqual([event(0, 8), event(1, 3), event(2, 1)]);
});

test("nothing waits where nothing is held", () => {
  expect(splitPaused([event(0, 8)], undefined)).toEqual({ shown: [event(0, 8)], waiting: [] });
});
