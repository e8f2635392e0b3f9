import { expect, test } from "vitest";
import { EMPTY_STATE, LEAVES, source } from "../../test/support/agent/core.ts";
import { changes, contact, delivered, delivery } from "../../test/support/agent/delivered.ts";
import type { State } from "../status/state.ts";
import { PendingDecisions } from "./pending-decisions.ts";

const HOST = "x.test";
const { records } = source({ name: "x" });
const [A, B, C] = LEAVES;

const decided = (published: string[], decidedAt: number) => ({ ...delivered(HOST, published), decidedAt });
const stored = (published: string[], decidedAt: number): State => {
  const last = decided(published, decidedAt);
  return { ...EMPTY_STATE, serial: 7, hosts: { [HOST]: { served: last.endpoints, delivered: last } } };
};
const served = ({ hosts }: State) => hosts[HOST]?.served?.flatMap(({ targets }) => targets);

test("a decision that could not be stored counts until the objects hold another than they did", () => {
  const unstored = new PendingDecisions("here");
  const before = stored([A, B, C], 1);
  expect(unstored.over(before, records)).toBe(before);
  expect(unstored.take(delivery({ epoch: 1, n: 2 }, [decided([A], 2)]), before.hosts)).toBe(true);
  const after = unstored.over(before, records);
  expect(served(after)).toEqual([A]);
  expect(after.serial).toBeGreaterThan(before.serial);
  expect(after.number).toEqual(before.number);
  const newer = stored([B], 3);
  expect(unstored.over(newer, records)).toBe(newer);
  expect(unstored.isEmpty).toBe(true);
});

test("of several the one with the highest number counts, in whatever order they come", () => {
  const unstored = new PendingDecisions("here");
  const { hosts } = stored([A, B, C], 1);
  unstored.take(delivery({ epoch: 1, n: 3 }, [decided([B], 3)]), hosts);
  expect(unstored.take(delivery({ epoch: 1, n: 2 }, [decided([A], 2)]), hosts)).toBe(false);
  expect(served(unstored.over(stored([A, B, C], 1), records))).toEqual([B]);
  unstored.take(delivery({ epoch: 1, n: 4 }, [decided([C], 4)]), hosts);
  expect(served(unstored.over(stored([A, B, C], 1), records))).toEqual([C]);
});

test("a decision publishes nothing that the records do not have", () => {
  const unstored = new PendingDecisions("here");
  const state = stored([A, B, C], 1);
  unstored.take(delivery({ epoch: 1, n: 2 }, [decided([A, "203.0.113.9"], 2)]), state.hosts);
  expect(served(unstored.over(state, records))).toEqual([A]);
});

test.each([
  ["another cluster", { ...(delivery({ epoch: 1, n: 2 }, [decided([A], 2)]) as object), cluster: "there" }],
  ["a host that is not here", delivery({ epoch: 1, n: 2 }, [delivered("y.test", [A])])],
  ["what is stored already", delivery({ epoch: 1, n: 2 }, [decided([A, B, C], 1)])],
  ["nothing new", contact({ epoch: 1, n: 2 }, 5)],
  [
    "what has changed since one that is not known here",
    changes({ epoch: 1, n: 1 }, { epoch: 1, n: 2 }, [decided([A], 2)]),
  ],
  ["nothing that can be read", undefined],
])("a delivery of %s changes nothing", (_, json) => {
  const unstored = new PendingDecisions("here");
  const state = stored([A, B, C], 1);
  unstored.take(json, state.hosts);
  expect(unstored.over(state, records)).toBe(state);
});
