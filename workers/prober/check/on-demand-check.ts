import type { Observation } from "../../../shared/model/observation.ts";
import type { Probe } from "../../../shared/model/probe.ts";
import type { ProbeRequest, ProbeResult } from "../probe/probe-request.ts";
import type { CheckDependencies } from "./check.ts";
import { check, failedCheck } from "./check.ts";

/**
 * How long a check waits for a slot in its region, in milliseconds. It is one whole timeout of the checks before it. At most
 * three of them run at once. It is no part of the check's own time.
 */
export const SLOT_WAIT_MS = 10_000;

type Parts = Omit<CheckDependencies, "staleMs" | "ask"> & {
  ask: (question: ProbeRequest, closing: AbortSignal) => Promise<ProbeResult | undefined>;
};

/** Checks a probe once, outside any round. Never throws: a failure is the prober's own fault, and the observation says so. */
export async function checkNow(probe: Probe, { ask, ...parts }: Parts): Promise<Observation> {
  const closing = new AbortController();
  const timer = setTimeout(() => closing.abort(), SLOT_WAIT_MS);
  try {
    const checked = await check(probe, { ...parts, staleMs: 0, ask: (question) => ask(question, closing.signal) });
    return checked?.observation ?? busy();
  } catch (error) {
    return failedCheck(error).observation;
  } finally {
    clearTimeout(timer);
  }
}

function busy(): Observation {
  const message = `Other checks held all slots of this region for ${SLOT_WAIT_MS / 1_000} s. Try again.`;
  return { reason: "ProberUnreachable", message, at: Date.now(), phases: { totalMs: 0 } };
}
