import { expect, test } from "vitest";
import { partInstants } from "./instants.ts";

test("instants are parted from the text around them", () => {
  const at = Date.UTC(2026, 10, 30, 8, 41, 29, 165);
  expect(partInstants("since 2026-11-30T08:41:29.165Z (9 failed)")).toEqual(["since ", { at }, " (9 failed)"]);
  expect(partInstants("2026-11-30T08:41:29Z")).toEqual([{ at: at - 165 }]);
});

test("what is no instant stays text", () => {
  expect(partInstants("no time at all")).toEqual(["no time at all"]);
  expect(partInstants("at 2026-99-99T08:41:29Z.")).toEqual(["at ", "2026-99-99T08:41:29Z", "."]);
  expect(partInstants("")).toEqual([]);
});
