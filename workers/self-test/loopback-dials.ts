import type { Figures } from "../../shared/model/self-test.ts";
import type { ProbeRequest, ProbeResult } from "../prober/probe/probe-request.ts";
import type { Bench, Measure } from "./bench.ts";
import { DIAL_LIMIT_MS, dialOnce, hold, PLATFORM_SLOTS } from "./dial-outcome.ts";
import { questionOf } from "./question.ts";

/**
 * Beyond the time that a dial takes alone: a dial that is open by then did not wait. All cases have to be over while the object's own
 * dials hang, 21 s as the platform is said to have it.
 */
const PATIENCE_MS = 800;

/** So many loopbacks at a time, each with so many dials: the object's slots allow three with several, and one more is tried. */
const CASES = [1, 2, 3, 4].flatMap((loopbacks) => [1, 3, 5].map((dials) => ({ loopbacks, dials })));

/**
 * Whether the dials of loopbacks count among the object's own six, as one limit that DIALS_TOGETHER has to keep to. The object holds six
 * that hang; beside them each loopback dials the black hole, and something that accepts last. What opens at once has not waited for any
 * of those that hang. The figures have each case under `dials x loopbacks`: after how many milliseconds the last of its loopbacks was
 * connected; or, in words, why not. `own` is the object's own seventh dial: where it opens too, there is no limit to be seen.
 */
export const loopbackDials: Measure = (bench) => measureLoopbackDials(bench, PATIENCE_MS);

/** The same with another patience, in milliseconds. */
export async function measureLoopbackDials(bench: Bench, patienceMs: number): Promise<Figures> {
  const { open, blackHole } = bench.request.targets;
  const { dialsTogether } = bench;
  const alone = await bench.probeInLoopback(questionOf("TCP", open, "", DIAL_LIMIT_MS));
  const aloneMs = alone.phases.connectMs;
  if (aloneMs === undefined) return { dialsTogether, aloneOutcome: alone.reason };
  const timeoutMs = aloneMs + patienceMs;
  // Longer, so that no slot comes free while somebody still waits for one.
  const hangsForMs = timeoutMs + patienceMs / 2;
  const held = hold(bench, PLATFORM_SLOTS);
  try {
    const own = await dialOnce(bench, open, timeoutMs);
    const found: Figures = {};
    for (const { loopbacks, dials } of CASES) {
      const questions = Array.from({ length: dials }, (_, n) =>
        n < dials - 1 ? questionOf("TCP", blackHole, "", hangsForMs) : questionOf("TCP", open, "", timeoutMs),
      );
      const outcome = await outcomeOfCase(bench, questions, loopbacks);
      // Where some of the six are over, a dial may have had one of their slots.
      if (held.hanging() < PLATFORM_SLOTS) break;
      found[`${dials}x${loopbacks}`] = outcome;
    }
    return { dialsTogether, aloneMs, own: own.outcome, hanging: held.hanging(), ...found };
  } finally {
    held.drop();
  }
}

async function outcomeOfCase(
  bench: Bench,
  questions: readonly ProbeRequest[],
  loopbacks: number,
): Promise<number | string> {
  const asked = Array.from({ length: loopbacks }, () => bench.probeBatchInLoopback(questions));
  const answers = await Promise.allSettled(asked);
  const outcomes = answers.map((answer) =>
    answer.status === "fulfilled" ? outcomeOfLoopback(answer.value) : `refused: ${answer.reason}`,
  );
  return outcomes.find((outcome) => typeof outcome === "string") ?? Math.max(...outcomes.map(Number));
}

/** The last of its dials is to what accepts; those before it are to hang, or they say nothing. */
function outcomeOfLoopback(probeResults: readonly ProbeResult[]): number | string {
  const over = probeResults.slice(0, -1).find(({ reason }) => reason !== "ConnectTimeout");
  if (over !== undefined) return `refused: ${over.reason}`;
  const last = probeResults.at(-1);
  if (last?.reason === "ConnectTimeout") return "waited";
  return last?.phases.connectMs ?? `refused: ${last?.reason}`;
}
