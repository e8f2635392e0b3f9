import { describe, expect, it } from "vitest";
import type { Overview } from "../../../shared/model/overview.ts";
import { connectionOf } from "./connection.ts";
import { type Action, reduce, START } from "./state.ts";

const overview = (role: Overview["role"], partitions = 1): Overview => ({
  at: 0,
  partitions,
  role,
  addressesHidden: false,
  records: [],
  regions: [],
  clusters: [],
});
const read = (now: number, role: Overview["role"] = "viewer", partitions = 1): Action => ({
  type: "Read",
  overview: overview(role, partitions),
  now,
});
const stream = (type: "Opened" | "Heard" | "Closed", now: number, partition = 0): Action => ({ type, partition, now });
const failed: Action = { type: "ReadFailed", fault: { status: 0, message: "" } };

describe("the connection is", () => {
  it.each<[string, Action[], number, object]>([
    ["connecting before anything was read", [], 0, { state: "connecting" }],
    ["connecting until its stream is open", [read(1)], 2, { state: "connecting" }],
    ["live while it is", [read(1), stream("Opened", 2)], 9_000, { state: "live" }],
    [
      "stale from its loss on, with the age of its last word",
      [read(1), stream("Opened", 2), stream("Heard", 5), stream("Closed", 9)],
      10,
      { state: "stale", lastWordAt: 5 },
    ],
    [
      "live again after it",
      [read(1), stream("Opened", 2), stream("Closed", 9), stream("Opened", 11)],
      12,
      { state: "live" },
    ],
    [
      "stale while the overview cannot be read",
      [read(1), stream("Opened", 2), failed],
      3,
      { state: "stale", lastWordAt: 2 },
    ],
    [
      "polling once the overview was read after a loss",
      [read(1), stream("Opened", 2), stream("Closed", 9), read(10)],
      11,
      { state: "polling" },
    ],
    ["polling where no stream comes through", [read(1), stream("Closed", 2), read(3)], 4, { state: "polling" }],
    ["stale where that is not answered either", [read(1), stream("Closed", 2)], 3, { state: "stale", lastWordAt: 1 }],
    ["stale where neither comes any more", [read(1)], 13_001, { state: "stale", lastWordAt: 1 }],
    [
      "as stale as the stalest of its partitions",
      [read(1, "viewer", 2), stream("Opened", 2), stream("Opened", 4, 1), stream("Closed", 6, 0)],
      7,
      { state: "stale", lastWordAt: 2 },
    ],
    ["polling for the public", [read(1, "public")], 2, { state: "polling" }],
    [
      "stale for the public once two answers are missing",
      [read(1, "public")],
      12_002,
      { state: "stale", lastWordAt: 1 },
    ],
  ])("%s", (_, actions, now, expected) => {
    expect(connectionOf(actions.reduce(reduce, START), now)).toEqual(expected);
  });
});
