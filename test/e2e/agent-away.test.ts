import { expect, test } from "vitest";
import { ADDRESSES, InterruptedStack, WITHOUT_FIRST } from "./support/interrupted-stack.ts";
import { until } from "./support/until.ts";

const interrupted = InterruptedStack.forThisFile();

test("the agent killed and started again: it answers as it did, and nothing is republished", async () => {
  const mark = interrupted.dns.mark;
  await interrupted.stack.agent.crash();
  await until("nobody to answer", () => interrupted.dns.last === "no answer");
  await interrupted.stack.agent.start();
  expect(await interrupted.dig()).toEqual({ code: "NOERROR", targets: ADDRESSES.slice(1) });
  await interrupted.outlastSilence();
  // While no agent runs nobody answers; whatever is answered has to be this.
  expect(new Set(interrupted.dns.since(mark))).toEqual(new Set([WITHOUT_FIRST, "no answer"]));
  await interrupted.mend();
});

test("the webhook target down for a while: the newest state arrives once it is back", async () => {
  await interrupted.mend();
  await interrupted.stack.agent.stop();
  await interrupted.gateways[0]!.change("status");
  await until("the edge to decide without the agent", async () => {
    const record = await interrupted.readRecord();
    return record?.endpoints[0]?.targets.length === 2;
  });
  await interrupted.stack.agent.start();
  await interrupted.answered(WITHOUT_FIRST);
  await until("the edge to count the cluster as up to date", async () => {
    const cluster = await interrupted.readCluster();
    return cluster?.decided !== undefined && cluster.decided === cluster.acknowledged;
  });
  await interrupted.mend();
});
