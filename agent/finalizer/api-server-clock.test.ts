import { expect, test } from "vitest";
import { ApiServerClock } from "./api-server-clock.ts";

const objectOf = (creationTimestamp: string, ...times: string[]) => ({
  apiVersion: "v1",
  kind: "Any",
  metadata: { name: "any", creationTimestamp, managedFields: times.map((time) => ({ time })) },
});

test("the time of the API server is the newest that it wrote, and goes on from when that was first read", () => {
  let elapsedMs = 1_000;
  const clock = new ApiServerClock(() => elapsedMs);
  expect(clock.nowMs()).toBe(Number.NEGATIVE_INFINITY);
  const old = objectOf("2026-01-01T00:00:00Z", "2026-01-01T00:00:10Z");
  clock.observe(old);
  expect(clock.nowMs()).toBe(Date.parse("2026-01-01T00:00:10Z"));
  elapsedMs += 5_000;
  clock.observe(old);
  expect(clock.nowMs()).toBe(Date.parse("2026-01-01T00:00:15Z"));
  clock.observe(objectOf("2026-01-01T00:00:12Z"));
  expect(clock.nowMs()).toBe(Date.parse("2026-01-01T00:00:15Z"));
  clock.observe(objectOf("2026-01-01T00:01:00Z"));
  expect(clock.nowMs()).toBe(Date.parse("2026-01-01T00:01:00Z"));
});
