import { expect, test } from "vitest";
import type { Outcome, Write } from "./execute.ts";
import { holdFor, newRetryState, recordOutcome } from "./retry-state.ts";

const step: Write = {
  type: "Apply",
  object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "shop" } },
};

test.each<[string, Outcome, number]>([
  ["what failed", { type: "Failed", message: "" }, 60_000],
  ["what is forbidden, as rights may be given back", { type: "Refused", message: "", isForbidden: true }, 60_000],
  ["what others change all the time", { type: "Overtaken" }, 4_000],
  ["what is refused for what it says", { type: "Refused", message: "", isForbidden: false }, 300_000],
])("%s is tried again after at most so long, however often it was tried", (_, outcome, mostMs) => {
  const patience = newRetryState();
  for (let tried = 0; tried < 20; tried += 1)
    recordOutcome(patience, step, outcome, { version: "1", nowMs: 0, random: 0.9 });
  const untilMs = holdFor(patience, step, { version: "1", nowMs: 0, random: 0.9 })?.untilMs ?? 0;
  expect(untilMs).toBeLessThanOrEqual(mostMs);
  expect(untilMs).toBeGreaterThan(mostMs / 2);
});

test("what changes between look and write is written with the next look, but not for ever at the pace of another writer", () => {
  const patience = newRetryState();
  const attempts = (count: number) => {
    let made = 0;
    for (let version = 1; version <= count; version += 1) {
      const now = { version: `${version}`, nowMs: 0, random: 0.5 };
      if (holdFor(patience, step, now) !== undefined) continue;
      made += 1;
      recordOutcome(patience, step, { type: "Overtaken" }, now);
    }
    return made;
  };
  expect(attempts(3)).toBe(3);
  expect(attempts(1_000)).toBe(2);
});

test("an error after a race waits as a first error does, and a race after errors as a first race", () => {
  const now = { version: "1", nowMs: 0, random: 0.9 };
  const untilMs = (last: Outcome, before: Outcome) => {
    const patience = newRetryState();
    for (let tried = 0; tried < 20; tried += 1) recordOutcome(patience, step, before, now);
    recordOutcome(patience, step, last, now);
    return holdFor(patience, step, now)?.untilMs ?? 0;
  };
  const failed: Outcome = { type: "Failed", message: "" };
  expect(untilMs(failed, { type: "Overtaken" })).toBeLessThanOrEqual(1_000);
  expect(untilMs({ type: "Overtaken" }, failed)).toBeLessThanOrEqual(1_000);
});
