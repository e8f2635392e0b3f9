import { outcomeOf } from "../../../shared/reason.ts";
import type { Settings } from "../../settings.ts";
import type { Finding, Question } from "../probe/probe-request.ts";
import type { Settling } from "../schedule/round-runner.ts";
import type { Member } from "../shard/probe-state.ts";
import {
  canaryQuestion,
  isIPv6,
  looksLikeNoIPv6,
  looksLikeOurTrouble,
  withoutFailures,
  withoutIPv6Failures,
} from "./canaries.ts";
import type { CheckResult } from "./check.ts";

type Canaries = Settings["CANARIES"];
export type CheckedMember = [Member, CheckResult];
/** Asks a canary; undefined where it got no slot. */
type AskCanary = (question: Question) => Promise<Finding | undefined>;

/** What was checked, as it counts: no failure does where the canaries say that the trouble is the region's own. */
export async function judgedByCanaries(
  results: CheckedMember[],
  round: Pick<Settling, "hasConfirmed">,
  canaries: Canaries,
  ask: AskCanary,
): Promise<CheckedMember[]> {
  const checks = results.map(([, result]) => result);
  if (looksLikeOurTrouble(checks, round) && (await areUnreachable(canaries, ask))) {
    return results.map(([member, result]) => [member, withoutFailures(result)]);
  }
  const ofIPv6 = canaries.filter(({ address }) => isIPv6(address));
  if (looksLikeNoIPv6(checks) && (await areUnreachable(ofIPv6, ask))) {
    return results.map(([member, result]) => [
      member,
      withoutIPv6Failures(result, member.probe.expectation.addressPolicy),
    ]);
  }
  return results;
}

/** Whether canaries were asked, two at most, and none of them answered. */
async function areUnreachable(canaries: Canaries, ask: AskCanary): Promise<boolean> {
  const findings = await Promise.all(canaries.slice(0, 2).map((canary) => ask(canaryQuestion(canary))));
  return (
    findings.length > 0 && findings.every((finding) => finding !== undefined && outcomeOf(finding.reason) === "failed")
  );
}
