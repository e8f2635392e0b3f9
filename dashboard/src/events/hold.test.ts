import { expect, test } from "vitest";
import { newestIds, partHeld } from "./hold.ts";
import type { TimelineEvent } from "./timeline.ts";

const event = (partition: number, id: number): TimelineEvent => ({
  partition,
  id,
  at: id,
  type: "DecisionChanged",
  message: "m",
});

test("what is newer than what was held waits, older pages do not", () => {
  const held = newestIds([event(0, 5), event(0, 7), event(1, 2)]);
  const { shown, waiting } = partHeld([event(0, 8), event(0, 7), event(1, 3), event(0, 1), event(2, 1)], held);
  expect(shown).toEqual([event(0, 7), event(0, 1)]);
  expect(waiting).toEqual([event(0, 8), event(1, 3), event(2, 1)]);
});

test("nothing waits where nothing is held", () => {
  expect(partHeld([event(0, 8)], undefined)).toEqual({ shown: [event(0, 8)], waiting: [] });
});
