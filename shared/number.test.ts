import { describe, expect, it } from "vitest";
import { compareNumbers, formatNumber, isNewer, NO_NUMBER, parseNumber } from "./number.ts";

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
