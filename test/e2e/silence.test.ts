import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type DnsRecorder, dig } from "./support/dns.ts";
import { PATIENCE_MS, recordYaml } from "./support/records.ts";
import { logOf, startWorld, type World } from "./support/stack.ts";
import { until } from "./support/until.ts";

const HOST = "api.example.test";
const ADDRESSES = ["127.0.0.14", "127.0.0.15", "127.0.0.16"];
const ALL = ADDRESSES.join(" ");
const WITHOUT_FIRST = ADDRESSES.slice(1).join(" ");
const STALE_AFTER_MS = 10_000;
/** The edge makes three contacts within this time, so that its own restart fits into the agent's timeout. */
const EDGE_STALE_AFTER = "6s";

let world: World;
let dns: DnsRecorder;

beforeAll(async () => {
  world = await startWorld({
    addresses: ADDRESSES,
    records: (port) => ({ "api.yaml": recordYaml(HOST, port, { targets: ADDRESSES }) }),
    edgeStaleAfterMs: STALE_AFTER_MS,
    edgeSettings: { EDGE_STALE_AFTER },
  });
  dns = world.record(HOST);
});

/** Each test begins with all parts running, and the first gateway broken and out of DNS. */
beforeEach(async ({ onTestFailed }) => {
  onTestFailed(() => world.explain(HOST));
  await world.stack.startEdge();
  await world.stack.agent.start();
  await world.gateways[0]!.change(undefined);
  await answered(ALL);
  await world.gateways[0]!.change("status");
  await answered(WITHOUT_FIRST);
});

async function answered(text: string, limitMs = PATIENCE_MS): Promise<void> {
  await until(
    `the answer ${text}`,
    () => dns.last === text,
    limitMs,
    () => dns.seen,
  );
}

async function mend(): Promise<void> {
  await world.gateways[0]!.change(undefined);
  await answered(ALL);
}

/**
 * Waits for longer than the agent does without contact to the edge. An agent without contact by then would have published all.
 */
async function outlastSilence(): Promise<void> {
  const end = Date.now() + STALE_AFTER_MS + 1_000;
  await until("edgeStaleAfter to pass", () => Date.now() > end);
}

test("the edge stopped: after edgeStaleAfter all addresses are back, and not before", async () => {
  const mark = dns.mark;
  await world.stack.stopEdge();
  const stoppedAt = Date.now();
  await answered(ALL, STALE_AFTER_MS + PATIENCE_MS);
  console.log(`all back ${Date.now() - stoppedAt} ms after the edge was stopped (edgeStaleAfter ${STALE_AFTER_MS} ms)`);
  expect(dns.since(mark)).toEqual([WITHOUT_FIRST, ALL]);
  await world.stack.startEdge();
  await answered(WITHOUT_FIRST);
  await mend();
});

/** Kills the edge and starts it at once; gives how long it was away, and what was answered meanwhile and afterwards. */
async function restartEdge(): Promise<{ awayMs: number; seen: string[] }> {
  const mark = dns.mark;
  const killedAt = Date.now();
  await world.stack.edge.crash();
  await world.stack.startEdge();
  const awayMs = Date.now() - killedAt;
  await outlastSilence();
  return { awayMs, seen: dns.since(mark) };
}

test("the edge killed and started again at once: nothing is republished", async () => {
  let restarted = await restartEdge();
  // Where the edge takes about as long to start as the agent is patient, what is republished tells nothing.
  const isTooSlow = () => restarted.seen.length > 1 && restarted.awayMs > STALE_AFTER_MS / 2;
  for (let tries = 1; tries < 5 && isTooSlow(); tries += 1) {
    await answered(WITHOUT_FIRST);
    restarted = await restartEdge();
  }
  expect(restarted.seen).toEqual([WITHOUT_FIRST]);
  await mend();
});

test("the agent killed and started again: it answers as it did, and nothing is republished", async () => {
  const mark = dns.mark;
  await world.stack.agent.crash();
  await until("nobody to answer", () => dns.last === "no answer");
  await world.stack.agent.start();
  expect(await dig(world.dns, HOST)).toEqual({ code: "NOERROR", targets: ADDRESSES.slice(1) });
  await outlastSilence();
  // While no agent runs nobody answers; whatever is answered has to be this.
  expect(new Set(dns.since(mark))).toEqual(new Set([WITHOUT_FIRST, "no answer"]));
  await mend();
});

test("agent killed and started again while the edge is silent: nothing is republished before silence is real", async () => {
  await world.stack.stopEdge();
  await world.stack.agent.crash();
  await world.stack.agent.start();
  const startedAt = Date.now();
  await answered(ALL, STALE_AFTER_MS + PATIENCE_MS);
  // Counted from the agent's own start at the earliest.
  expect(Date.now() - startedAt).toBeGreaterThan(STALE_AFTER_MS - 1_000);
  await world.stack.startEdge();
  await answered(WITHOUT_FIRST);
  await mend();
});

test("the webhook target down for a while: the newest state arrives once it is back", async () => {
  await mend();
  await world.stack.agent.stop();
  await world.gateways[0]!.change("status");
  await until("the edge to decide without the agent", async () => {
    const record = await world.stack.readRecord(HOST);
    return record?.endpoints[0]?.targets.length === 2;
  });
  await world.stack.agent.start();
  await answered(WITHOUT_FIRST);
  await until("the edge to count the cluster as up to date", async () => {
    const cluster = await world.readCluster();
    return cluster?.decided !== undefined && cluster.decided === cluster.acknowledged;
  });
  await mend();
});

afterAll(async () => {
  const logs = ["edge", "agent"].map((name) => logOf(world.stack, name)).join("\n");
  await world.stop();
  expect(logs.split("\n").filter((line) => /\b(uncaught|unhandled|\w*Error)\b/i.test(line))).toEqual([]);
});
