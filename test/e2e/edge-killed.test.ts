import { expect, test } from "vitest";
import { InterruptedStack, STALE_AFTER_MS, WITHOUT_FIRST } from "./support/interrupted-stack.ts";

const interrupted = InterruptedStack.forThisFile();

/** Kills the edge and starts it at once; gives how long it was away, and what was answered meanwhile and afterwards. */
async function restartEdge(): Promise<{ awayMs: number; seen: string[] }> {
  const mark = interrupted.dns.mark;
  const killedAt = Date.now();
  await interrupted.stack.edge.crash();
  await interrupted.stack.startEdge();
  const awayMs = Date.now() - killedAt;
  await interrupted.outlastSilence();
  return { awayMs, seen: interrupted.dns.since(mark) };
}

test("the edge killed and started again at once: nothing is republished", async () => {
  let restarted = await restartEdge();
  // Where the edge takes about as long to start as the agent is patient, what is republished tells nothing.
  const isTooSlow = () => restarted.seen.length > 1 && restarted.awayMs > STALE_AFTER_MS / 2;
  for (let tries = 1; tries < 5 && isTooSlow(); tries += 1) {
    await interrupted.answered(WITHOUT_FIRST);
    restarted = await restartEdge();
  }
  expect(restarted.seen).toEqual([WITHOUT_FIRST]);
  await interrupted.mend();
});
