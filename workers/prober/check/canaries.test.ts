import { describe, expect, it } from "vitest";
import type { Reason } from "../../../shared/reason.ts";
import { looksLikeOwnFailure, withoutFailures } from "./canaries.ts";
import type { CheckResult } from "./check.ts";

const phases = { totalMs: 1 };

function checked(address: string, reason: Reason): CheckResult {
  return { observation: { reason, at: 5, phases }, probeResults: [{ address, reason, phases }] };
}

describe("a round looks like our own trouble", () => {
  it.each<[string, [string, Reason][], boolean]>([
    [
      "when two dials of three fail",
      [
        ["a", "ConnectFailed"],
        ["b", "ConnectTimeout"],
        ["c", "Ok"],
      ],
      true,
    ],
    [
      "not when half of them fail",
      [
        ["a", "ConnectFailed"],
        ["b", "ConnectTimeout"],
        ["c", "Ok"],
        ["d", "Ok"],
      ],
      false,
    ],
    [
      "not when only two addresses were dialled",
      [
        ["a", "ConnectFailed"],
        ["b", "ConnectFailed"],
      ],
      false,
    ],
    [
      "not when one address failed three times",
      [
        ["a", "ConnectFailed"],
        ["a", "ConnectFailed"],
        ["a", "ConnectFailed"],
      ],
      false,
    ],
    [
      "not when all were reached and answered badly",
      [
        ["a", "UnexpectedStatus"],
        ["b", "ResponseTimeout"],
        ["c", "BodyMismatch"],
      ],
      false,
    ],
    ["not when nothing was dialled", [], false],
  ])("%s", (_, dials, looks) => {
    expect(looksLikeOwnFailure(dials.map(([address, reason]) => checked(address, reason)))).toBe(looks);
  });
});

describe("confirmations look like our own trouble", () => {
  it.each<[string, [string, Reason][], boolean]>([
    ["when the only dial fails", [["a", "ConnectTimeout"]], true],
    [
      "when most do",
      [
        ["a", "ConnectFailed"],
        ["b", "ConnectTimeout"],
        ["c", "Ok"],
      ],
      true,
    ],
    [
      "not when another was answered",
      [
        ["a", "ConnectFailed"],
        ["b", "Ok"],
      ],
      false,
    ],
    ["not when it was answered badly", [["a", "UnexpectedStatus"]], false],
    ["not when nothing was dialled", [], false],
  ])("%s", (_, dials, looks) => {
    const results = dials.map(([address, reason]) => checked(address, reason));
    expect(looksLikeOwnFailure(results, { hasConfirmed: true })).toBe(looks);
  });
});

describe("a check of a round in which the canaries failed", () => {
  it("does not count as a failure, but a good answer is one", () => {
    const failed = withoutFailures(checked("a", "ResponseTimeout"));
    expect(failed.observation).toMatchObject({ reason: "ProberUnreachable", at: 5, phases });
    const ok = checked("a", "Ok");
    expect(withoutFailures(ok)).toBe(ok);
  });
});
