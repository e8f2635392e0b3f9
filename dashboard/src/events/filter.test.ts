import { expect, test } from "vitest";
import { isFiltering, matches, namedIn, readFilter, writeFilter } from "./filter.ts";
import { typeWords } from "./kinds.ts";
import type { TimelineEvent } from "./timeline.ts";

const verdict: TimelineEvent = {
  partition: 0,
  id: 7,
  at: 1,
  type: "VerdictChanged",
  rootHost: "shop.example.test",
  probe: "east/demo/shop/127.0.0.11",
  message: "127.0.0.11: Healthy → Unhealthy",
};
const silent: TimelineEvent = { partition: 0, id: 8, at: 2, type: "RegionSilent", region: "weur", message: "no word" };

test.each(["", "?kind=verdicts,regions", "?host=a&cluster=b&region=weur&text=x+y"])(
  "%j is read and written alike",
  (text) => {
    expect(writeFilter(readFilter(text))).toBe(text);
    expect(isFiltering(readFilter(text))).toBe(text !== "");
  },
);

test("what is not known is left out", () => {
  expect(writeFilter(readFilter("?kind=nonsense,regions,toString&other=1&text=%20"))).toBe("?kind=regions");
});

test.each([
  ["", true, true],
  ["?kind=verdicts", true, false],
  ["?kind=verdicts,regions", true, true],
  ["?host=SHOP", true, false],
  ["?cluster=east", true, false],
  ["?cluster=eas", false, false],
  ["?region=weur", false, true],
  ["?text=unhealthy", true, false],
  ["?text=0-8", false, true],
  ["?text=silent&kind=verdicts", false, false],
])("%j takes the verdict: %s, the silent region: %s", (search, first, second) => {
  const filter = readFilter(search);
  expect([matches(verdict, filter), matches(silent, filter)]).toEqual([first, second]);
});

test("clusters and regions to choose from are those that events name", () => {
  expect(namedIn([verdict, silent, verdict])).toEqual({ clusters: ["east"], regions: ["weur"] });
});

test("a verdict's tone is that of the verdict it changed to; a newer edge's types keep their names", () => {
  expect(typeWords(verdict)).toMatchObject({ tone: "bad", kind: "verdicts" });
  expect(typeWords({ type: "VerdictChanged", message: "a: Unhealthy → Healthy" }).tone).toBe("ok");
  expect(typeWords({ type: "MoonRisen" as TimelineEvent["type"], message: "" })).toMatchObject({ words: "MoonRisen" });
});
