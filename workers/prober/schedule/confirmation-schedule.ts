import type { Budget, BudgetRule } from "../../../shared/budget.ts";
import { isAhead } from "../../../shared/budget.ts";
import { confirmAt } from "../../../shared/health/confirm.ts";
import type { ProbeState } from "../shard/probe-state.ts";
import type { RoundWindow } from "./round-runner.ts";
import { LINGER_MS } from "./round-runner.ts";

/** How many confirmation rounds a shard may make in a row; one is given back each interval. */
const MOST_ROUNDS = 30;
/** Checks that are due this close together are made together: one wake, one report. */
const TOGETHER_MS = 250;

export const budgetRule = (intervalMs: number): BudgetRule => ({ most: MOST_ROUNDS, everyMs: intervalMs });

/**
 * When a member is to be checked before the round that is due at `roundDueAt` (both Unix ms). The reason is an unsettled count,
 * or another region's different result. Undefined where that round comes soon enough.
 */
export function confirmationDueAt(member: ProbeState, roundDueAt: number): number | undefined {
  const { confirmIntervalMs = 0 } = member.probe;
  const confirmationAt = before(confirmAt(member, member.probe.confirmIntervalMs), roundDueAt - confirmIntervalMs / 2);
  const recheckAt = before(member.recheckAt, roundDueAt - LINGER_MS);
  const at = Math.min(confirmationAt ?? Number.POSITIVE_INFINITY, recheckAt ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(at) ? at : undefined;
}

const before = (at: number | undefined, untilMs: number) => (at !== undefined && at < untilMs ? at : undefined);

/** Who is to be checked by then (Unix ms), but for those who are asked at the moment. */
export function confirmationsDueBy(
  members: Iterable<ProbeState>,
  atMs: number,
  { roundDueAt, isBusy }: RoundWindow<ProbeState>,
): ProbeState[] {
  return [...members].filter((member) => {
    const dueAt = confirmationDueAt(member, roundDueAt);
    return dueAt !== undefined && dueAt <= atMs && !isBusy(member);
  });
}

/** When the next checks before the round are to be made, Unix ms, as far as the budget goes; undefined where none are. */
export function nextConfirmationAt(
  members: Iterable<ProbeState>,
  { roundDueAt, isBusy }: RoundWindow<ProbeState>,
  budget: Budget | undefined,
  rule: BudgetRule,
): number | undefined {
  const dues = [...members]
    .filter((member) => !isBusy(member))
    .flatMap((member) => confirmationDueAt(member, roundDueAt) ?? []);
  if (dues.length === 0) return undefined;
  const first = Math.min(...dues);
  const together = Math.max(...dues.filter((due) => due <= first + TOGETHER_MS));
  const at = Math.max(together, affordableAt(budget, rule, roundDueAt));
  return at < roundDueAt ? at : undefined;
}

function affordableAt(budget: Budget | undefined, rule: BudgetRule, roundDueAt: number): number {
  const isFree = budget === undefined || budget.left > 0 || isAhead(budget, rule, roundDueAt);
  return isFree ? Number.NEGATIVE_INFINITY : budget.at + rule.everyMs;
}

/**
 * Marks a member to be looked at once, as soon as may be. Not one that was checked within its `confirmIntervalMs`, nor one from
 * before there was such a field. Whether it is to be looked at.
 */
export function requestRecheck(member: ProbeState, nowMs: number): boolean {
  const { confirmIntervalMs } = member.probe;
  if (confirmIntervalMs === undefined) return false;
  const lastAt = Math.max(member.checkedAt ?? 0, member.askedAt ?? 0);
  if (lastAt <= nowMs && nowMs - lastAt < confirmIntervalMs) return false;
  member.recheckAt ??= nowMs;
  return true;
}
