import { addressFamily } from "../../../shared/model/address.ts";
import type { Expectation } from "../../../shared/model/probe.ts";
import { outcomeOf, type Reason } from "../../../shared/reason.ts";
import type { Settings } from "../../settings.ts";
import { type ProbeRequest, type ProbeResult, protocolResult } from "../probe/probe-request.ts";
import type { SettledRound } from "../schedule/round-runner.ts";
import type { ProbeState } from "../shard/probe-state.ts";
import { applyAddressPolicy, type CheckResult } from "./check.ts";

const LEAST_ADDRESSES = 3;
const CANARY_TIMEOUT_MS = 2_000;

/**
 * Whether a round looks like a fault of our own (docs/design/dialling.md): more than half of its dials to at least three
 * addresses failed. An address counts as failed if one of its dials did. If the round had confirmations, one address is enough.
 * These dial only what failed, and no other dial would show that the region itself is cut off.
 */
export function looksLikeOwnFailure(results: readonly CheckResult[], { hasConfirmed = false } = {}): boolean {
  const failed = new Map<string, boolean>();
  for (const { address, reason } of results.flatMap((result) => result.probeResults)) {
    if (address === undefined) continue;
    failed.set(address, isUnanswered(reason) || (failed.get(address) ?? false));
  }
  const failures = [...failed.values()].filter((isFailure) => isFailure).length;
  const least = hasConfirmed ? 1 : LEAST_ADDRESSES;
  return failed.size >= least && failures > failed.size / 2;
}

/**
 * Whether a round dialled IPv6 addresses and got no answer. That is how a location without an IPv6 route looks. It is asked of
 * single leaves too, since most records have few of them.
 */
export function looksLikeNoIPv6(results: readonly CheckResult[]): boolean {
  const dialled = results.flatMap(({ probeResults }) => probeResults).filter(({ address }) => isIPv6(address));
  return dialled.length > 0 && dialled.every(({ reason }) => isUnanswered(reason));
}

const isUnanswered = (reason: Reason) => reason === "ConnectFailed" || reason === "ConnectTimeout";

export const isIPv6 = (address: string | undefined) => address !== undefined && addressFamily(address) === "IPv6";

/** The question to a canary: whether it can be reached at all. */
export function canaryRequest(canary: { address: string; port: number }): ProbeRequest {
  const expectation = { statuses: [], body: undefined };
  const rest = { host: canary.address, path: "/", headers: {}, userAgent: "", timeoutMs: CANARY_TIMEOUT_MS };
  return { protocol: "TCP", ...canary, expectation, ...rest };
}

/** A check of a round in which the canaries failed too: no failure counts. What answered as it should did answer. */
export function withoutFailures(result: CheckResult): CheckResult {
  if (outcomeOf(result.observation.reason) !== "failed") return result;
  const { at, phases } = result.observation;
  const ours = protocolResult("ProberUnreachable", "Most dials of this round failed, and those to the canaries too.");
  return { observation: { ...ours, at, phases }, probeResults: result.probeResults };
}

/** A check of a round in which the canaries of IPv6 failed too: it is what it would be had those dials no outcome. */
export function withoutIPv6Failures(result: CheckResult, policy: Expectation["addressPolicy"]): CheckResult {
  if (outcomeOf(result.observation.reason) !== "failed") return result;
  const { at, phases } = result.observation;
  const ours = protocolResult(
    "ProberUnreachable",
    "No dial to an IPv6 address was answered, nor were those to the canaries.",
  );
  const probeResults = result.probeResults.map((probeResult) =>
    isIPv6(probeResult.address) ? { ...probeResult, ...ours } : probeResult,
  );
  const isOurs = applyAddressPolicy(probeResults, policy)?.reason === ours.reason;
  return isOurs ? { observation: { ...ours, at, phases }, probeResults: result.probeResults } : result;
}

type Canaries = Settings["CANARIES"];
export type CheckedProbe = [ProbeState, CheckResult];
/** Asks a canary; undefined where it got no slot. */
type ProbeCanary = (question: ProbeRequest) => Promise<ProbeResult | undefined>;

/** The results as they count. No failure counts where the canaries show that the fault is the region's own. */
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
