import { describe, expect, it } from "vitest";
import type { Shard } from "../../../shared/model/messages/assignment.ts";
import type { Region } from "../../../shared/model/region.ts";
import { isAlarmAbsent, lastRoundAt, nextRoundAt, phaseMs, roundAfter, roundFrom } from "./round-schedule.ts";

const regions: Region[] = ["apac", "enam", "weur"];
const shard = (region: Region, n = 0, intervalMs = 30_000): Shard => ({ region, partition: 0, intervalMs, n, regions });

describe("the phase of a shard", () => {
  it("stands a third of the interval apart in three regions, whatever the order they are named in", () => {
    const phases = regions.map((region) => phaseMs(shard(region))).sort((a, b) => a - b);
    const [first = 0, second = 0, third = 0] = phases;
    expect([second - first, third - second, first + 30_000 - third].every((gap) => Math.abs(gap - 10_000) <= 1)).toBe(
      true,
    );
    expect(phaseMs({ ...shard("weur"), regions: ["weur", "apac", "enam"] })).toBe(phaseMs(shard("weur")));
  });

  it("spreads shards over the interval", () => {
    const thirds = new Set(Array.from({ length: 30 }, (_, n) => Math.floor(phaseMs(shard("weur", n)) / 10_000)));
    expect(thirds.size).toBe(3);
  });
});

describe("the next round", () => {
  const phase = phaseMs(shard("weur"));
  const roundAt = 30_000 * 1_000 + phase;

  it.each([
    ["just before a round", roundAt - 1, roundAt],
    ["at a round", roundAt, roundAt + 30_000],
    ["after one that was late by 100 s", roundAt + 100_000, roundAt + 120_000],
  ])("%s keeps the phase", (_, now, expected) => {
    expect(nextRoundAt(now, shard("weur"))).toBe(expected);
  });

  it("after an alarm that fired a moment early is not the same round again", () => {
    expect(roundAfter(roundAt - 20, shard("weur"))).toBe(roundAt + 30_000);
    expect(roundAfter(roundAt - 1_000, shard("weur"))).toBe(roundAt);
  });
});

describe("the round that a wake is for", () => {
  const roundAt = 30_000 * 1_000 + phaseMs(shard("weur"));

  it.each([
    ["at its moment", roundAt, roundAt, roundAt],
    ["just before it", roundAt - 1, roundAt, roundAt - 30_000],
    ["between two", roundAt + 1, roundAt + 30_000, roundAt],
  ])("%s", (_, at, next, last) => {
    expect([roundFrom(at, shard("weur")), lastRoundAt(at, shard("weur"))]).toEqual([next, last]);
  });
});

describe("an alarm", () => {
  const now = 1_000_000_000;
  it.each([
    ["that is not set", null, true],
    ["two hours in the past", now - 7_200_000, true],
    ["a second late, which is usual", now - 1_000, false],
    ["in the future", now + 1, false],
    ["an interval ahead", now + 30_000, false],
    ["an hour ahead, as by a clock that was put back", now + 3_600_000, true],
  ])("%s", (_, at, isAbsent) => {
    expect(isAlarmAbsent(at, now, 30_000)).toBe(isAbsent);
  });
});
