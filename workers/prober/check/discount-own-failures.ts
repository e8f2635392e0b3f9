import { outcomeOf } from "../../../shared/reason.ts";
import type { Settings } from "../../settings.ts";
import type { ProbeRequest, ProbeResult } from "../probe/probe-request.ts";
import type { SettledRound } from "../schedule/round-runner.ts";
import type { ProbeState } from "../shard/probe-state.ts";
import {
  canaryRequest,
  isIPv6,
  looksLikeNoIPv6,
  looksLikeOwnFailure,
  withoutFailures,
  withoutIPv6Failures,
} from "./canaries.ts";
import type { CheckResult } from "./check.ts";

type Canaries = Settings["CANARIES"];
export type CheckedProbe = [ProbeState, CheckResult];
/** Asks a canary; undefined where it got no slot. */
type ProbeCanary = (question: ProbeRequest) => Promise<ProbeResult | undefined>;

/** What was checked, as it counts: no failure does where the canaries say that the trouble is the region's own. */
export async function discountOwnFailures(
  results: CheckedProbe[],
  round: Pick<SettledRound, "hasConfirmed">,
  canaries: Canaries,
  ask: ProbeCanary,
): Promise<CheckedProbe[]> {
  const checks = results.map(([, result]) => result);
  if (looksLikeOwnFailure(checks, round) && (await areUnreachable(canaries, ask))) {
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
async function areUnreachable(canaries: Canaries, ask: ProbeCanary): Promise<boolean> {
  const probeResults = await Promise.all(canaries.slice(0, 2).map((canary) => ask(canaryRequest(canary))));
  return (
    probeResults.length > 0 &&
    probeResults.every((probeResult) => probeResult !== undefined && outcomeOf(probeResult.reason) === "failed")
  );
}
