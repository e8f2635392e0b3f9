import { describe, expect, it } from "vitest";
import type { Delivery } from "../../shared/model/messages/delivery.ts";
import { backOffMs } from "../back-off.ts";
import { duplicateAgent, type Instances, noteInstance } from "./agent-instances.ts";
import { failureOf } from "./failure.ts";
import { isShrinkRefused, type ShrinkCase } from "./shrink.ts";
import { snapshotEvents } from "./snapshot-events.ts";

const MINUTE_MS = 60_000;

describe("the wait after failures", () => {
  it.each([
    [1, 500, 1_000],
    [2, 1_000, 2_000],
    [4, 4_000, 8_000],
    [6, 16_000, 32_000],
    [7, 25_000, 50_000],
    [1_000, 25_000, 50_000],
  ])("in number %i is from %i to %i ms", (failures, leastMs, mostMs) => {
    expect([backOffMs(failures, 50_000, 0), backOffMs(failures, 50_000, 1)]).toEqual([leastMs, mostMs]);
  });
});

describe("the shrink guard", () => {
  const shrink: ShrinkCase = {
    held: 10,
    coming: 4,
    allowShrink: false,
    digest: "d",
    signedAtMs: 5,
    pending: undefined,
  };

  it.each([
    ["to less than half is refused", {}, true],
    ["to half is not", { coming: 5 }, false],
    ["to nothing is refused", { held: 1, coming: 0 }, true],
    ["of nothing is none", { held: 0, coming: 0 }, false],
    ["that is allowed is taken", { allowShrink: true }, false],
    ["that comes unchanged later is taken", { pending: { digest: "d", signedAtMs: 4 } }, false],
    ["that comes changed is refused", { pending: { digest: "e", signedAtMs: 4 } }, true],
    ["that is repeated byte for byte is refused", { pending: { digest: "d", signedAtMs: 5 } }, true],
  ])("a shrink %s", (_, change, refused) => {
    expect(isShrinkRefused({ ...shrink, ...change })).toBe(refused);
  });
});

describe("instances", () => {
  const pushedBy = (names: string): Instances =>
    [...names].reduce<Instances>((seen, name) => noteInstance(seen, name, 0), []);

  it.each([
    ["A", undefined],
    ["AAAA", undefined],
    ["AB", undefined],
    ["ABCDEFGH", undefined],
    ["ABA", "A and B"],
    ["ABCABC", "C and B"],
    ["ABCDEFA", undefined],
  ])("that pushed as %s", (names, duplicates) => {
    const condition = duplicateAgent(pushedBy(names), MINUTE_MS);
    expect(condition?.message.match(/name: (.*)\. Stop/)?.[1]).toBe(duplicates);
  });

  it("are told no longer than ten minutes", () => {
    expect(duplicateAgent(pushedBy("ABA"), 9 * MINUTE_MS)).toBeDefined();
    expect(duplicateAgent(pushedBy("ABA"), 10 * MINUTE_MS)).toBeUndefined();
  });
});

describe("an answer to a delivery", () => {
  const sent = (kind: Delivery["kind"]): Delivery => {
    const head = { version: 1, cluster: "c", number: { epoch: 5, n: 3 }, sentAt: 0 } as const;
    if (kind === "Contact") return { ...head, kind };
    if (kind === "Full") return { ...head, kind, records: [] };
    return { ...head, kind, since: { epoch: 5, n: 2 }, records: [], removed: [] };
  };

  it.each([
    ["Full", 3, undefined],
    ["Full", 4, undefined],
    ["Full", 2, "acknowledged 5.2 instead of 5.3"],
    ["Contact", 3, undefined],
    ["Contact", 1, undefined],
    ["Changes", 3, undefined],
    ["Changes", 1, undefined],
  ] as const)("(%s) that acknowledges 5.%i where 5.3 was sent", (kind, n, failure) => {
    expect(failureOf({ epoch: 5, n }, sent(kind))).toBe(failure);
  });
});

describe("news for the event log", () => {
  const refused = (message: string) => ({ type: "RecordsAccepted", status: "False", reason: "R", message }) as const;
  const undelivered = { type: "Delivered", status: "False", reason: "R", message: "3 in a row" } as const;

  it("is what was not there before, or says something else; failed deliveries are none", () => {
    expect(snapshotEvents("c", [], [refused("a"), undelivered])).toEqual([
      { type: "RecordRefused", cluster: "c", message: "a" },
    ]);
    expect(snapshotEvents("c", [refused("a")], [refused("a")])).toEqual([]);
    expect(snapshotEvents("c", [refused("a")], [refused("b")])).toHaveLength(1);
    expect(snapshotEvents("c", [refused("a")], [])).toEqual([]);
  });
});
