import { outcomeOf } from "../../shared/reason.ts";
import type { CheckResult } from "./check.ts";
import type { Question } from "./question.ts";
import { answer } from "./question.ts";

const LEAST_ADDRESSES = 3;
const CANARY_TIMEOUT_MS = 2_000;

/**
 * Whether a round looks like trouble of our own (design §2, dialling): more than half of its dials to at least three
 * addresses failed. An address counts as failed if one of its dials did.
 */
export function looksLikeOurTrouble(results: readonly CheckResult[]): boolean {
  const failed = new Map<string, boolean>();
  for (const { address, reason } of results.flatMap((result) => result.findings)) {
    if (address === undefined) continue;
    const isFailure = reason === "ConnectFailed" || reason === "ConnectTimeout";
    failed.set(address, isFailure || (failed.get(address) ?? false));
  }
  const failures = [...failed.values()].filter((isFailure) => isFailure).length;
  return failed.size >= LEAST_ADDRESSES && failures > failed.size / 2;
}

/** The question to a canary: whether it can be reached at all. */
export function canaryQuestion(canary: { address: string; port: number }): Question {
  const expectation = { statuses: [], body: undefined };
  const rest = { host: canary.address, path: "/", headers: {}, userAgent: "", timeoutMs: CANARY_TIMEOUT_MS };
  return { protocol: "TCP", ...canary, expectation, ...rest };
}

/** A check of a round in which the canaries failed too: no failure counts. What answered as it should did answer. */
export function withoutFailures(result: CheckResult): CheckResult {
  if (outcomeOf(result.observation.reason) !== "failed") return result;
  const { at, phases } = result.observation;
  const ours = answer("ProberUnreachable", "Most dials of this round failed, and those to the canaries too.");
  return { observation: { ...ours, at, phases }, findings: result.findings };
}
