import { describe, expect, it } from "vitest";
import type { Event } from "../../../shared/model/event.ts";
import { liveMessage, type RecordSummary } from "../../../shared/model/overview.ts";
import { type LiveChanges, messagesOf } from "./stream.ts";

const events = (from: number, to: number): Event[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    id: from + index,
    at: 1,
    type: "VerdictChanged",
    message: "",
  }));
const records = (count: number): RecordSummary[] =>
  Array.from({ length: count }, (_, index) => ({
    rootHost: `r${index}.example.com`,
    state: "Healthy",
    clusters: [],
    leaves: [],
    regions: [],
    decidedAt: 0,
  }));
const news = (change: Partial<LiveChanges>): LiveChanges => ({
  at: 5,
  partition: 2,
  records: [],
  removed: [],
  events: [],
  lastEventId: 9,
  ...change,
});

describe("news", () => {
  it.each<[string, Partial<LiveChanges>, [records: number, removed: number, events: number, lastEventId: number][]]>([
    ["of nothing is one message that says where the log is", {}, [[0, 0, 0, 9]]],
    ["of one record is one message", { records: records(1) }, [[1, 0, 0, 9]]],
    ["of all kinds is one message", { records: records(2), removed: ["x"], events: [events(8, 9)] }, [[2, 1, 2, 9]]],
    [
      "of many events is a message a page, which says where it ends",
      { events: [events(1, 5), events(6, 9)], records: records(1) },
      [
        [1, 0, 5, 5],
        [0, 0, 4, 9],
      ],
    ],
    [
      "of many records is several, and the events are in the first",
      { records: records(1_001), events: [events(9, 9)] },
      [
        [500, 0, 1, 9],
        [500, 0, 0, 9],
        [1, 0, 0, 9],
      ],
    ],
    ["whose last event cannot be read goes up to it all the same", { events: [events(7, 8)] }, [[0, 0, 2, 9]]],
  ])("%s", (_, change, expected) => {
    const messages = messagesOf(news(change)).map((message) => liveMessage.parse(message));
    const shape = messages.map((one) => [one.records.length, one.removed.length, one.events.length, one.lastEventId]);
    expect(shape).toEqual(expected);
  });
});
