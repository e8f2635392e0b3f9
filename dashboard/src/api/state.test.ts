import { describe, expect, it } from "vitest";
import type { Event } from "../../../shared/model/event.ts";
import type { LiveMessage, Overview, RecordSummary } from "../../../shared/model/overview.ts";
import { type Action, EVENTS_KEPT, needsReplay, reduce, START, type View } from "./state.ts";

const record = (rootHost: string, state: RecordSummary["state"] = "Healthy"): RecordSummary => ({
  rootHost,
  state,
  clusters: [],
  leaves: [],
  regions: [],
  decidedAt: 1,
});

const overview = (at: number, records: RecordSummary[], more: Partial<Overview> = {}): Overview => ({
  at,
  partitions: 1,
  role: "viewer",
  addressesHidden: false,
  records,
  regions: [],
  clusters: [],
  ...more,
});

const event = (id: number, at = id): Event => ({ id, at, type: "DecisionChanged", message: `${id}` });

/** A message with the events of these ids; its `lastEventId` is that of the last, if no other is given. */
const message = (at: number, ids: number[], more: Partial<LiveMessage> = {}): LiveMessage => ({
  at,
  partition: 0,
  records: [],
  removed: [],
  events: ids.map((id) => event(id)),
  lastEventId: ids.at(-1) ?? 0,
  ...more,
});

const opened: Action = { type: "Opened", partition: 0, now: 1 };
const told = (one: LiveMessage): Action => ({ type: "Told", message: one, now: one.at });
const read = (one: Overview): Action => ({ type: "Read", overview: one, now: one.at });
const viewAfter = (...actions: Action[]): View => actions.reduce(reduce, START);
const hosts = ({ overview: seen }: View) => seen?.records.map(({ rootHost, state }) => `${rootHost} ${state}`);
const ids = ({ events }: View) => events.map(({ id, partition }) => `${partition}-${id}`);

describe("records", () => {
  it("told before the overview came are kept for it, if they are newer", () => {
    const early = message(10, [], { records: [record("a", "Degraded"), record("b", "Degraded")] });
    expect(hosts(viewAfter(opened, told(early)))).toBeUndefined();
    expect(hosts(viewAfter(opened, told(early), read(overview(9, [record("a"), record("c")]))))).toEqual([
      "a Degraded",
      "b Degraded",
      "c Healthy",
    ]);
    expect(hosts(viewAfter(opened, told(early), read(overview(11, [record("a")]))))).toEqual(["a Healthy"]);
  });

  it("told after the overview replace, add and remove", () => {
    const late = message(10, [], { records: [record("a", "Critical"), record("d")], removed: ["b"] });
    const view = viewAfter(read(overview(9, [record("a"), record("b"), record("c")])), told(late));
    expect(hosts(view)).toEqual(["a Critical", "c Healthy", "d Healthy"]);
  });

  it("told while an overview was on its way are not set back by it", () => {
    const view = viewAfter(
      read(overview(5, [record("a")])),
      told(message(10, [], { records: [record("a", "Degraded")] })),
      read(overview(8, [record("a"), record("b")])),
    );
    expect(hosts(view)).toEqual(["a Degraded", "b Healthy"]);
    expect(hosts(reduce(view, read(overview(12, [record("a")]))))).toEqual(["a Healthy"]);
  });

  it("are as the newer of two messages says, in whatever order they come", () => {
    const view = viewAfter(
      read(overview(1, [])),
      told(message(10, [], { records: [record("a", "Critical")] })),
      told(message(9, [], { records: [record("a")] })),
    );
    expect(hosts(view)).toEqual(["a Critical"]);
  });

  it("that say the same stay the same objects", () => {
    const first = viewAfter(read(overview(1, [record("a"), record("b")])));
    const second = reduce(first, read(overview(2, [record("a"), record("b", "Warning")])));
    expect(second.overview?.records[0]).toBe(first.overview?.records[0]);
    expect(second.overview?.records[1]).not.toBe(first.overview?.records[1]);
  });
});

describe("events", () => {
  it("are kept once each, by partition and id", () => {
    const view = viewAfter(opened, told(message(1, [1, 2])), told(message(2, [2, 3])), told(message(3, [])));
    expect(ids(view)).toEqual(["0-1", "0-2", "0-3"]);
    expect(ids(reduce(view, told(message(4, [1], { partition: 1 }))))).toHaveLength(4);
  });

  it("of a catch-up in several messages are all taken, though each tells the end of the log", () => {
    const view = viewAfter(
      opened,
      told(message(1, [1, 2], { lastEventId: 4 })),
      told(message(1, [3, 4], { lastEventId: 4 })),
    );
    expect(ids(view)).toEqual(["0-1", "0-2", "0-3", "0-4"]);
    expect(view.missed).toBe(0);
  });

  it.each([
    ["a message that begins further on", message(2, [4])],
    ["a message without any that tells of a log further on", message(2, [], { lastEventId: 3 })],
  ])("are asked for again after %s", (_, gap) => {
    const view = viewAfter(opened, told(message(1, [1, 2])));
    expect(needsReplay(view.streams.get(0), gap)).toBe(true);
    const waiting = reduce(view, told({ ...gap, records: [record("a")] }));
    expect(waiting.streams.get(0)?.lastEventId).toBe(2);
    expect(waiting.told.has("a")).toBe(true);
    const caughtUp = [opened, told(message(3, [3, 4]))].reduce(reduce, waiting);
    expect(ids(caughtUp)).toEqual(["0-1", "0-2", "0-3", "0-4"]);
    expect(caughtUp.missed).toBe(0);
  });

  it("that the log has dropped meanwhile are given up, and that is told", () => {
    const view = [opened, told(message(9, [8]))].reduce(reduce, viewAfter(opened, told(message(1, [1]))));
    expect(ids(view)).toEqual(["0-1", "0-8"]);
    expect(view.missed).toBe(1);
    expect(needsReplay(view.streams.get(0), message(10, [9]))).toBe(false);
  });

  it("of a log that began anew are taken as such", () => {
    const view = [opened, told(message(9, [1]))].reduce(reduce, viewAfter(opened, told(message(1, [7]))));
    expect(view.streams.get(0)?.lastEventId).toBe(1);
    expect(view.events).toHaveLength(2);
  });

  it("are bounded, the newest kept", () => {
    const many = Array.from({ length: EVENTS_KEPT + 5 }, (_, index) => index + 1);
    const view = viewAfter(opened, told(message(1, many)));
    expect(view.events).toHaveLength(EVENTS_KEPT);
    expect(view.events.at(-1)?.id).toBe(EVENTS_KEPT + 5);
  });
});

describe("what cannot be read", () => {
  it("leaves what is known, and a 401 asks for a token", () => {
    const known = viewAfter(read(overview(1, [record("a")])));
    const failed = reduce(known, { type: "ReadFailed", fault: { status: 503, message: "no" } });
    expect(hosts(failed)).toEqual(["a Healthy"]);
    expect(failed.needsLogin).toBe(false);
    const closed = reduce(failed, { type: "ReadFailed", fault: { status: 401, message: "no" } });
    expect(closed.needsLogin).toBe(true);
    expect(reduce(closed, read(overview(2, []))).needsLogin).toBe(false);
  });

  it("is all forgotten at a login", () => {
    expect(viewAfter(read(overview(1, [record("a")])), { type: "LoggedIn" })).toEqual(START);
  });
});
