import { describe, expect, it } from "vitest";
import type { Event } from "../../shared/model/event.ts";
import { pageAfter, pageBefore } from "./event-pages.ts";

const events = (...ats: number[]): Event[] =>
  ats.map((at, index) => ({ id: index + 1, at, type: "VerdictChanged", message: "" }));
const shown = (page: ReturnType<typeof pageAfter>) => page.events.map(({ partition, id }) => `${partition}-${id}`);

describe("a page of several partitions", () => {
  it("is by time, and goes on for each where it ended", () => {
    const page = pageAfter([events(1, 4), [], events(2, 3)], [0, 7, 0]);
    expect(shown(page)).toEqual(["0-1", "2-1", "2-2", "0-2"]);
    expect(page).toMatchObject({ next: [2, 7, 2], previous: [1, 8, 1] });
  });

  it.each([
    [1, ["0-2"], [2, 1, 3], [2, 0, 2]],
    [2, ["2-2", "0-2"], [2, 1, 2], [2, 0, 2]],
    [9, ["0-1", "2-1", "2-2", "0-2"], [1, 1, 1], [2, 0, 2]],
  ])("of the newest %i has them oldest first, and its cursors leave nothing out", (last, expected, previous, next) => {
    const page = pageBefore([events(1, 4), [], events(2, 3)], last, [undefined, undefined, undefined]);
    expect(shown(page)).toEqual(expected);
    expect(page.previous).toEqual(previous);
    expect(page.next).toEqual(next);
  });

  it("keeps each partition's own order where its clock was put back", () => {
    const page = pageBefore([events(9, 2), events(5)], 2, [undefined, undefined]);
    expect(shown(page)).toEqual(["0-2", "1-1"]);
    expect(shown(pageAfter([events(9, 2), events(5)], [0, 0]))).toEqual(["0-1", "0-2", "1-1"]);
  });
});

it("goes back page by page to the beginning, everything once", () => {
  const all = [events(1, 2, 3, 10, 11), events(4, 5, 6, 7), events()];
  let before: (number | undefined)[] = [undefined, undefined, undefined];
  const seen: string[] = [];
  for (;;) {
    const asked = all.map((page, partition) => page.filter(({ id }) => id < (before[partition] ?? 99)).slice(-2));
    const page = pageBefore(asked, 2, before);
    if (page.events.length === 0) break;
    seen.unshift(...shown(page));
    before = page.previous;
  }
  expect(seen).toEqual(["0-1", "0-2", "0-3", "1-1", "1-2", "1-3", "1-4", "0-4", "0-5"]);
});
