import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Breakage } from "../../local/sample-gateways.ts";
import { bestOf } from "../support/best-of.ts";
import { type DnsRecorder, dig } from "./support/dns.ts";
import { LEAVES_WITHIN_MS, PATIENCE_MS, RETURNS_WITHIN_MS, ROUND_MS, recordYaml } from "./support/records.ts";
import { startWorld, type World } from "./support/stack.ts";
import { until } from "./support/until.ts";

const HOST = "shop.example.test";
const ADDRESSES = ["127.0.0.11", "127.0.0.12", "127.0.0.13"];
const ALL = ADDRESSES.join(" ");
/** A gateway that nobody breaks: with it, each of the others has a record of its own, so that all can leave at once. */
const STEADY = "127.0.0.10";
const pairOf = (index: number) => [STEADY, ADDRESSES[index]!];
const pairHostOf = (index: number) => `pair${index}.example.test`;

let world: World;
let dns: DnsRecorder;
let pairs: DnsRecorder[];

beforeAll(async () => {
  world = await startWorld({
    addresses: [...ADDRESSES, STEADY],
    records: (port) => ({
      "shop.yaml": recordYaml(HOST, port, { targets: ADDRESSES }),
      ...Object.fromEntries(
        ADDRESSES.map((_, index) => [
          `pair${index}.yaml`,
          recordYaml(pairHostOf(index), port, { targets: pairOf(index) }),
        ]),
      ),
    }),
  });
  dns = world.record(HOST);
  pairs = ADDRESSES.map((_, index) => world.record(pairHostOf(index)));
});
afterAll(() => world?.stop());
beforeEach(async ({ onTestFailed }) => {
  onTestFailed(() => world.explain(HOST));
  await changeAll(undefined);
  await answered(ALL);
  await Promise.all(pairs.map((recorder, index) => answered(pairOf(index).join(" "), recorder)));
});

/** Waits for an answer, and gives how long it took in ms. */
async function answered(text: string, recorder = dns): Promise<number> {
  const from = Date.now();
  await until(
    `the answer ${text}`,
    () => recorder.last === text,
    PATIENCE_MS,
    () => recorder.seen,
  );
  return Date.now() - from;
}

async function changeAll(breakage: Breakage | undefined): Promise<void> {
  await Promise.all(
    world.gateways.map((gateway) => (gateway.address === STEADY ? undefined : gateway.change(breakage))),
  );
}

/** Waits until every region has seen each gateway `rounds` times since now: long enough for any verdict to fall. */
async function roundsPass(rounds: number): Promise<void> {
  const from = Date.now() + rounds * ROUND_MS;
  await until("fresh rounds in every region", async () => {
    const record = await world.stack.readRecord(HOST);
    const regions = record?.probes.flatMap((probe) => probe.regions) ?? [];
    return regions.length === 9 && regions.every((region) => (region.checkedAt ?? 0) > from);
  });
}

test("three addresses are answered, over UDP and TCP, to dig and to a client of our own", async () => {
  for (const transport of ["UDP", "TCP"] as const) {
    expect(await dig(world.dns, HOST, transport)).toEqual({ code: "NOERROR", targets: ADDRESSES });
  }
});

test("each gateway broken in its way: its address is gone in time; mended: back in time", async () => {
  await roundsPass(1);
  const lateMs = await Promise.all(
    (["status", "refuse", "hang"] as const).map((breakage, index) => latenessOf(index, breakage)),
  );
  for (const late of lateMs) expect(late).toBeLessThanOrEqual(0);
});

/** Breaks and repairs one gateway. Returns by how many ms the better of its tries exceeded the promise. */
function latenessOf(index: number, breakage: Breakage): Promise<number> {
  const gateway = world.gateways[index]!;
  const recorder = pairs[index]!;
  const both = pairOf(index).join(" ");
  const tookMs = { left: Number.POSITIVE_INFINITY, back: Number.POSITIVE_INFINITY };
  return bestOf(5, 0, async () => {
    const mark = recorder.mark;
    await gateway.change(breakage);
    tookMs.left = Math.min(tookMs.left, await answered(STEADY, recorder));
    await gateway.change(undefined);
    tookMs.back = Math.min(tookMs.back, await answered(both, recorder));
    expect(recorder.since(mark)).toEqual([both, STEADY, both]);
    console.log(`${gateway.server} ${breakage}: left after ${tookMs.left} ms, back after ${tookMs.back} ms`);
    return Math.max(tookMs.left - LEAVES_WITHIN_MS, tookMs.back - RETURNS_WITHIN_MS);
  });
}

test("all gateways broken: the answer stays as it was, never NXDOMAIN", async () => {
  const mark = dns.mark;
  await changeAll("status");
  await until("every leaf to be judged unhealthy", async () => {
    const record = await world.stack.readRecord(HOST);
    return record?.probes.length === 3 && record.probes.every((probe) => probe.verdict === "Unhealthy");
  });
  await roundsPass(2);
  // While they fall one after the other the answer may shrink, but to nothing else than a part of what it was.
  for (const answer of dns.since(mark)) {
    expect(answer.split(" ").filter((address) => !ADDRESSES.includes(address))).toEqual([]);
  }
  const standing = dns.last;
  await roundsPass(3);
  expect(dns.last).toBe(standing);
  await changeAll(undefined);
  await answered(ALL);
});

test("a gateway that fails for one region only is not withdrawn; for two of three it is", async () => {
  const gateway = world.gateways[0]!;
  const mark = dns.mark;
  await gateway.change("region");
  await until("one region to call it unhealthy", async () => {
    const record = await world.stack.readRecord(HOST);
    const probe = record?.probes.find(({ leaf }) => leaf === gateway.address);
    return probe?.regions.filter((region) => region.counts.says === "Unhealthy").length === 1;
  });
  await roundsPass(3);
  expect(dns.since(mark)).toEqual([ALL]);
  const record = await world.stack.readRecord(HOST);
  const advisories = record?.probes.find(({ leaf }) => leaf === gateway.address)?.advisories ?? [];
  expect(advisories).toContainEqual(expect.objectContaining({ type: "Dissent" }));
  await gateway.change("regions");
  await answered(ADDRESSES.slice(1).join(" "));
  await gateway.change(undefined);
  await answered(ALL);
});
