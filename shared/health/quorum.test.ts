import { expect, it } from "vitest";
import type { Quorum } from "../model/quorum.ts";
import { quorumSize } from "./quorum.ts";

it.each<[Quorum, number, number]>([
  ["Any", 1, 1],
  ["Any", 9, 1],
  ["Majority", 1, 1],
  ["Majority", 2, 2],
  ["Majority", 3, 2],
  ["Majority", 4, 3],
  ["Majority", 9, 5],
  ["All", 1, 1],
  ["All", 3, 3],
  [2, 3, 2],
  [3, 3, 3],
  [3, 2, 2],
])("quorum %s of %i regions is %i", (quorum, regions, size) => {
  expect(quorumSize(quorum, regions)).toBe(size);
});
