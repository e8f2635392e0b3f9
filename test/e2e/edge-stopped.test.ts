import { expect, test } from "vitest";
import { ALL, InterruptedStack, STALE_AFTER_MS, WITHOUT_FIRST } from "./support/interrupted-stack.ts";
import { PATIENCE_MS } from "./support/records.ts";

const interrupted = InterruptedStack.forThisFile();

test("the edge stopped: after edgeStaleAfter all addresses are back, and not before", async () => {
  const mark = interrupted.dns.mark;
  await interrupted.stack.stopEdge();
  const stoppedAt = Date.now();
  await interrupted.answered(ALL, STALE_AFTER_MS + PATIENCE_MS);
  console.log(`all back ${Date.now() - stoppedAt} ms after the edge was stopped (edgeStaleAfter ${STALE_AFTER_MS} ms)`);
  expect(interrupted.dns.since(mark)).toEqual([WITHOUT_FIRST, ALL]);
  await interrupted.stack.startEdge();
  await interrupted.answered(WITHOUT_FIRST);
  await interrupted.mend();
});

test("agent killed and started again while the edge is silent: nothing is republished before silence is real", async () => {
  await interrupted.stack.stopEdge();
  await interrupted.stack.agent.crash();
  await interrupted.stack.agent.start();
  const startedAt = Date.now();
  await interrupted.answered(ALL, STALE_AFTER_MS + PATIENCE_MS);
  // Counted from the agent's own start at the earliest.
  expect(Date.now() - startedAt).toBeGreaterThan(STALE_AFTER_MS - 1_000);
  await interrupted.stack.startEdge();
  await interrupted.answered(WITHOUT_FIRST);
  await interrupted.mend();
});
