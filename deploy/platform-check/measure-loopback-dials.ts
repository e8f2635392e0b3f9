import type { ProbeRequest, ProbeResult } from "../../workers/prober/probe/probe-request.ts";
import { type Bench, DIAL_LIMIT_MS, dialOnce, hangDials, type Measure, PLATFORM_SLOTS, probeRequest } from "./bench.ts";
import type { Figures } from "./protocol.ts";

/**
 * A dial that opens within this time beyond a lone dial did not wait. All cases must end while the object's own dials hang, which is
 * said to be 21 s.
 */
const PATIENCE_MS = 800;

/** Loopbacks at a time and dials in each. The object's slots allow three loopbacks with several dials; one more is tried. */
const CASES = [1, 2, 3, 4].flatMap((loopbacks) => [1, 3, 5].map((dials) => ({ loopbacks, dials })));

/**
 * Measures whether the dials of loopbacks count among the object's own six. If they do, DIALS_TOGETHER must be 1. The object holds six
 * dials that hang. Meanwhile each loopback dials the black hole, and an open port last. A dial that opens at once has not waited for
 * any that hangs. The figures have each case under `dials x loopbacks`: the milliseconds until its last loopback was connected, or the
 * reason why it was not. `own` is the object's own seventh dial: if it opens too, no limit is visible.
 */
export const loopbackDials: Measure = (bench) => measureLoopbackDials(bench, PATIENCE_MS);

/** The same with another time limit, in milliseconds. For tests. */
export async function measureLoopbackDials(bench: Bench, patienceMs: number): Promise<Figures> {
  const { open, blackHole } = bench.request.targets;
  const alone = await bench.probeInLoopback(probeRequest("TCP", open, "", DIAL_LIMIT_MS));
  const aloneMs = alone.phases.connectMs;
  if (aloneMs === undefined) return { aloneOutcome: alone.reason };
  const timeoutMs = aloneMs + patienceMs;
  // Longer, so that no slot becomes free while a dial still waits.
  const hangsForMs = timeoutMs + patienceMs / 2;
  const hangingDials = hangDials(bench, PLATFORM_SLOTS);
  try {
    const own = await dialOnce(bench, open, timeoutMs);
    const found: Figures = {};
    for (const { loopbacks, dials } of CASES) {
      const requests = Array.from({ length: dials }, (_, n) =>
        n < dials - 1 ? probeRequest("TCP", blackHole, "", hangsForMs) : probeRequest("TCP", open, "", timeoutMs),
      );
      const outcome = await outcomeOfCase(bench, requests, loopbacks);
      // Once one of the six has ended, a dial may have used its slot.
      if (hangingDials.count() < PLATFORM_SLOTS) break;
      found[`${dials}x${loopbacks}`] = outcome;
    }
    return { aloneMs, own: own.outcome, hanging: hangingDials.count(), ...found };
  } finally {
    hangingDials.drop();
  }
}

async function outcomeOfCase(
  bench: Bench,
  requests: readonly ProbeRequest[],
  loopbacks: number,
): Promise<number | string> {
  const asked = Array.from({ length: loopbacks }, () => bench.probeBatchInLoopback(requests));
  const answers = await Promise.allSettled(asked);
  const outcomes = answers.map((answer) =>
    answer.status === "fulfilled" ? outcomeOfLoopback(answer.value) : `refused: ${answer.reason}`,
  );
  return outcomes.find((outcome) => typeof outcome === "string") ?? Math.max(...outcomes.map(Number));
}

/** The last dial is to an open port. The dials before it must hang; otherwise the case proves nothing. */
function outcomeOfLoopback(results: readonly ProbeResult[]): number | string {
  const over = results.slice(0, -1).find(({ reason }) => reason !== "ConnectTimeout");
  if (over !== undefined) return `refused: ${over.reason}`;
  const last = results.at(-1);
  if (last?.reason === "ConnectTimeout") return "waited";
  return last?.phases.connectMs ?? `refused: ${last?.reason}`;
}
