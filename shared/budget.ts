/** What may still be spent, and since when it refills; Unix ms. */
export interface Budget {
  left: number;
  at: number;
}

export interface BudgetRule {
  most: number;
  /** One is given back after each of these, in milliseconds. */
  everyMs: number;
}

/** Whether it was spent by a clock that has been put back since, or was fast: it would not refill until then. */
export const isAhead = ({ at }: Budget, { everyMs }: BudgetRule, nowMs: number): boolean => at - nowMs > everyMs;

/** The budget after one more was spent; undefined where none is left. Nothing was spent yet of one that is undefined. */
export function spend(budget: Budget | undefined, rule: BudgetRule, nowMs: number): Budget | undefined {
  const { most, everyMs } = rule;
  const before = budget === undefined || isAhead(budget, rule, nowMs) ? { left: most, at: nowMs } : budget;
  const back = Math.max(0, Math.floor((nowMs - before.at) / everyMs));
  const isFull = before.left + back >= most;
  const now = isFull ? { left: most, at: nowMs } : { left: before.left + back, at: before.at + back * everyMs };
  return now.left > 0 ? { ...now, left: now.left - 1 } : undefined;
}
