import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Budget } from "../../../shared/budget.ts";
import { spend } from "../../../shared/budget.ts";
import { NO_COUNTS } from "../../../shared/health/count.ts";
import type { Counts } from "../../../shared/model/probe.ts";
import { probeOf } from "../../../test/support/prober.ts";
import type { ProbeState } from "../shard/probe-state.ts";
import {
  budgetRule,
  confirmationDueAt,
  confirmationsDueBy,
  nextConfirmationAt,
  requestRecheck,
} from "./confirmation-schedule.ts";

const CONFIRM_MS = 3_000;
const INTERVAL_MS = 30_000;
const RULE = budgetRule(INTERVAL_MS);
const isBusy = () => false;

function memberOf(change: Partial<ProbeState> = {}, confirmIntervalMs: number | undefined = CONFIRM_MS): ProbeState {
  const probe = probeOf("a", 80, confirmIntervalMs === undefined ? {} : { confirmIntervalMs });
  return { probe, counts: NO_COUNTS, isDated: true, reached: new Set(), ...change };
}

const failedOnce: Counts = { failures: 1, successes: 0, says: "Healthy" };

describe("a member is checked before the next round", () => {
  it.each<[string, Partial<ProbeState>, number | undefined]>([
    ["not while it is settled", { counts: { failures: 0, successes: 1, says: "Healthy" }, checkedAt: 0 }, undefined],
    [
      "not while it has said nothing",
      { counts: { failures: 1, successes: 0, says: "Pending" }, checkedAt: 0 },
      undefined,
    ],
    ["an interval after a failure", { counts: failedOnce, checkedAt: 0 }, 3_000],
    ["or a good check", { counts: { failures: 0, successes: 1, says: "Unhealthy" }, checkedAt: 0 }, 3_000],
    ["an interval after that check began", { counts: failedOnce, checkedAt: 2_000, askedAt: 0 }, 3_000],
    ["at once where it took longer", { counts: failedOnce, checkedAt: 5_000, askedAt: 0 }, 5_000],
    ["later where the last one was no word on it", { counts: failedOnce, checkedAt: 0, askedAt: 3_000 }, 6_000],
    ["not where the round comes soon after", { counts: failedOnce, checkedAt: 25_500 }, undefined],
    ["but where it comes later", { counts: failedOnce, checkedAt: 25_400 }, 28_400],
    ["where it is to be looked at", { counts: NO_COUNTS, checkedAt: 0, recheckAt: 20_000 }, 20_000],
    ["unless the round comes at once", { counts: NO_COUNTS, checkedAt: 0, recheckAt: 29_500 }, undefined],
  ])("%s", (_, change, dueAt) => {
    expect(confirmationDueAt(memberOf(change), INTERVAL_MS)).toBe(dueAt);
  });

  it("never, with an assignment from before there were confirmations", () => {
    const member = { ...memberOf({ counts: failedOnce, checkedAt: 0 }), probe: probeOf("a", 80) };
    expect(confirmationDueAt(member, INTERVAL_MS)).toBeUndefined();
    expect(requestRecheck(member, 10_000)).toBe(false);
  });
});

describe("a look", () => {
  it.each<[string, Partial<ProbeState>, boolean]>([
    ["at one that was never checked", {}, true],
    ["at one that was checked long ago", { checkedAt: 0 }, true],
    ["not at one that was just checked", { checkedAt: 7_500 }, false],
    ["not at one that is asked", { checkedAt: 0, askedAt: 9_900 }, false],
    ["at one that was checked by a clock that was fast", { checkedAt: 1_000_000 }, true],
  ])("%s", (_, change, isNoted) => {
    const member = memberOf(change);
    expect(requestRecheck(member, 10_000)).toBe(isNoted);
    expect(member.recheckAt).toBe(isNoted ? 10_000 : undefined);
  });
});

describe("checks that are due close together", () => {
  it("are made together, and those that are asked are left out", () => {
    const members = [0, 100, 250, 600].map((checkedAt) => memberOf({ counts: failedOnce, checkedAt }));
    const until = { roundDueAt: INTERVAL_MS, isBusy };
    expect(nextConfirmationAt(members, until, undefined, RULE)).toBe(3_250);
    expect(confirmationsDueBy(members, 3_250, until)).toEqual(members.slice(0, 3));
    const without = { ...until, isBusy: (member: ProbeState) => member !== members[3] };
    expect(nextConfirmationAt(members, without, undefined, RULE)).toBe(3_600);
  });

  it("wait for the budget, and for the round where that comes first", () => {
    const members = [memberOf({ counts: failedOnce, checkedAt: 0 })];
    const spent = (at: number): Budget => ({ left: 0, at });
    expect(nextConfirmationAt(members, { roundDueAt: INTERVAL_MS, isBusy }, spent(-20_000), RULE)).toBe(10_000);
    expect(nextConfirmationAt(members, { roundDueAt: INTERVAL_MS, isBusy }, spent(0), RULE)).toBeUndefined();
  });

  it("wait for no budget that was spent by a clock which was put back since", () => {
    const members = [memberOf({ counts: failedOnce, checkedAt: 0 })];
    const budget = { left: 0, at: 365 * 24 * 3_600_000 };
    expect(nextConfirmationAt(members, { roundDueAt: INTERVAL_MS, isBusy }, budget, RULE)).toBe(3_000);
    expect(spend(budget, RULE, 3_000)).toEqual({ left: RULE.most - 1, at: 3_000 });
  });
});

const anyMember = fc
  .record({
    counts: fc.oneof(
      fc.record({ failures: fc.nat(3), successes: fc.constant(0), says: fc.constantFrom("Healthy" as const) }),
      fc.record({ failures: fc.constant(0), successes: fc.nat(3), says: fc.constantFrom("Unhealthy" as const) }),
    ),
    checkedAt: fc.option(fc.nat(40_000), { nil: undefined }),
    askedAt: fc.option(fc.nat(40_000), { nil: undefined }),
    recheckAt: fc.option(fc.nat(40_000), { nil: undefined }),
    confirmIntervalMs: fc.option(fc.integer({ min: 1_000, max: INTERVAL_MS }), { nil: undefined }),
  })
  .map(({ confirmIntervalMs, ...rest }) => memberOf(rest, confirmIntervalMs));

const anyBudget = fc.option(fc.record({ left: fc.nat(2), at: fc.integer({ min: -40_000, max: 200_000 }) }), {
  nil: undefined,
});

describe("whatever the members, the budget and the clock", () => {
  it("somebody is due when it was said that somebody would be, the budget goes so far, and no round is put off", () => {
    fc.assert(
      fc.property(fc.array(anyMember, { maxLength: 5 }), anyBudget, fc.nat(60_000), (members, budget, roundDueAt) => {
        const until = { roundDueAt, isBusy };
        const at = nextConfirmationAt(members, until, budget, RULE);
        if (at === undefined) return;
        expect(at).toBeLessThan(roundDueAt);
        expect(confirmationsDueBy(members, at, until)).not.toEqual([]);
        expect(spend(budget, RULE, at)).toBeDefined();
      }),
    );
  });
});
