import { expect, it } from "vitest";
import { clockIn } from "./clock.ts";

const HOUR_MS = 3_600_000;

it.each([
  ["UTC", "12:04:31"],
  ["Europe/Berlin", "13:04:31"],
  ["America/New_York", "07:04:31"],
  ["Asia/Kathmandu", "17:49:31"],
  ["Pacific/Kiritimati", "02:04:31"],
])("says the hour in %s", (zone, text) => {
  const at = Date.UTC(2026, 10, 30, 12, 4, 31);
  expect(clockIn(at + 1_000, zone)(at)).toBe(text);
});

it("says midnight as 00, by twenty-four hours", () => {
  const at = Date.UTC(2026, 10, 30, 0, 0, 5);
  expect(clockIn(at, "UTC")(at)).toBe("00:00:05");
});

it("names the day from twelve hours on, and not before: last night is still tonight", () => {
  const now = Date.UTC(2026, 11, 1, 3, 0, 0);
  const clock = clockIn(now, "UTC");
  expect(clock(now - 4 * HOUR_MS)).toBe("23:00:00");
  expect(clock(now - 12 * HOUR_MS + 1)).toBe("15:00:00");
  expect(clock(now - 12 * HOUR_MS)).toBe("30 Nov 2026 15:00:00");
  expect(clock(now + 12 * HOUR_MS)).toBe("1 Dec 2026 15:00:00");
});

it("names the day of the zone, not of UTC", () => {
  const now = Date.UTC(2026, 10, 30, 20, 0, 0);
  const at = Date.UTC(2026, 10, 28, 23, 30, 0);
  expect(clockIn(now, "UTC")(at)).toBe("28 Nov 2026 23:30:00");
  expect(clockIn(now, "Europe/Berlin")(at)).toBe("29 Nov 2026 00:30:00");
});

it("goes with daylight saving: one hour twice in autumn, none in spring", () => {
  const autumn = Date.UTC(2026, 9, 25, 0, 30, 0);
  const clock = clockIn(autumn, "Europe/Berlin");
  expect([clock(autumn), clock(autumn + HOUR_MS), clock(autumn + 2 * HOUR_MS)]).toEqual([
    "02:30:00",
    "02:30:00",
    "03:30:00",
  ]);
  const spring = Date.UTC(2026, 2, 29, 0, 30, 0);
  expect(clockIn(spring, "Europe/Berlin")(spring + HOUR_MS)).toBe("03:30:00");
});

it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER])("%d is no time of any day", (at) => {
  expect(clockIn(0, "UTC")(at)).toBe("an unknown time");
});

it("refuses a zone that is not known", () => {
  expect(() => clockIn(0, "Europe/Atlantis")).toThrow(RangeError);
});
