import { describe, expect, it } from "vitest";
import { compareNumbers, formatNumber, isCredible, isNewer, NO_NUMBER, numberAbove, parseNumber } from "./number.ts";

describe("numbers of messages", () => {
  it("compare by epoch first, then by n: a sender that lost its counter is newer all the same", () => {
    const ordered = [NO_NUMBER, { epoch: 5, n: 0 }, { epoch: 5, n: 9 }, { epoch: 6, n: 0 }, { epoch: 10, n: 1 }];
    expect(ordered.toReversed().sort(compareNumbers)).toEqual(ordered);
  });

  it("the same number is not newer", () => {
    expect(isNewer({ epoch: 5, n: 2 }, { epoch: 5, n: 1 })).toBe(true);
    expect(isNewer({ epoch: 5, n: 1 }, { epoch: 5, n: 1 })).toBe(false);
    expect(isNewer({ epoch: 4, n: 9 }, { epoch: 5, n: 1 })).toBe(false);
  });

  it.each([
    [
      { epoch: 5, n: 2 },
      { epoch: 5, n: 3 },
    ],
    [
      { epoch: 5, n: Number.MAX_SAFE_INTEGER },
      { epoch: 6, n: 1 },
    ],
  ])("%j is gone past by %j, which is a safe one", (number, above) => {
    expect(numberAbove(number)).toEqual(above);
    expect(isNewer(numberAbove(number), number)).toBe(true);
  });

  it("are credible up to a day ahead of the clock, or as far ahead as the own one", () => {
    const nowMs = 1_790_000_000_000;
    const day = 86_400_000;
    const own = { epoch: nowMs, n: 1 };
    expect(isCredible({ epoch: nowMs + day, n: 7 }, own, nowMs)).toBe(true);
    expect(isCredible({ epoch: nowMs + day + 1, n: 7 }, own, nowMs)).toBe(false);
    expect(isCredible({ epoch: nowMs + 2 * day, n: 7 }, { epoch: nowMs + 2 * day, n: 1 }, nowMs)).toBe(true);
  });

  it("are written as epoch.n, and read back", () => {
    const number = { epoch: 1_790_000_000_000, n: 42 };
    expect(formatNumber(number)).toBe("1790000000000.42");
    expect(parseNumber(formatNumber(number))).toEqual(number);
  });

  it.each(["", "1", "1.", ".1", "1.2.3", "-1.2", "1.2 ", "1e3.2", "a.b", "99999999999999999.1", "9999999999999999.1"])(
    "%j is none",
    (text) => {
      expect(parseNumber(text)).toBeUndefined();
    },
  );
});
