import { PassThrough } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { RecordSpec } from "../shared/model/record.ts";
import { recordSpec } from "../shared/model/record.ts";
import type { RecordStatus } from "../shared/model/status.ts";
import { Console } from "./console.ts";
import type { DnsChange } from "./dns-watch.ts";
import { Narrator } from "./narrator.ts";
import type { Gateway } from "./sample-gateways.ts";

const record: RecordSpec = recordSpec.parse({
  rootHost: "shop.example.test",
  endpoints: [{ dnsName: "shop.example.test", recordType: "A", targets: ["127.0.0.11", "127.0.0.12"] }],
  healthCheck: { protocol: "HTTP", interval: "2s", timeout: "1s", failureThreshold: 2, successThreshold: 2 },
});
const question = { name: "shop.example.test", type: "A" as const, record };
const answer = (...targets: string[]) => ({ code: "NOERROR", targets });

let out: PassThrough;
let narrator: Narrator;
let gateway: Gateway;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 });
  out = new PassThrough({ encoding: "utf8" });
  narrator = new Narrator(new Console(out as unknown as NodeJS.WriteStream));
  gateway = {
    number: 1,
    address: "127.0.0.11",
    port: 8443,
    scheme: "https",
    change: async () => undefined,
    stop: async () => undefined,
  };
});

afterEach(() => {
  vi.useRealTimers();
});

/** What was written, without the times at the heads of lines. */
async function told(change: DnsChange): Promise<string> {
  const status = {
    leaves: [{ leaf: "127.0.0.11", published: false, reason: "UnhealthyWithheld" }],
    probes: [],
  } as unknown as RecordStatus;
  narrator.report({ kind: "Dns", change }, { gateways: [gateway], readRecord: async () => status });
  await new Promise((resolve) => setImmediate(resolve));
  return stripVTControlCharacters(out.read() as string).replace(/^\d\d:\d\d:\d\d/gm, "TIME");
}

test("the first answer is a picture, and nothing follows from it", async () => {
  const change = { question, after: answer("127.0.0.11", "127.0.0.12"), at: Date.now() };
  expect(await told(change)).toBe("TIME  shop.example.test A   ● 127.0.0.11  ● 127.0.0.12\n");
});

test("an address that left: after how long, the limit, and why", async () => {
  gateway.broken = "status";
  narrator.report({ kind: "Gateway", gateway }, { gateways: [gateway], readRecord: async () => undefined });
  const change = {
    question,
    before: answer("127.0.0.11", "127.0.0.12"),
    after: answer("127.0.0.12"),
    at: Date.now() + 6_400,
  };
  expect(await told(change)).toBe(
    "TIME  gateway 1  https://127.0.0.11:8443  answers 500\n" +
      "TIME  shop.example.test A   ○ 127.0.0.11  ● 127.0.0.12\n" +
      "          127.0.0.11 left, 6.4 s after its gateway was broken (at most 8 s): unhealthy\n",
  );
});

test("an address that leaves again when the edge is back has no story of its gateway", async () => {
  gateway.broken = "status";
  const stack = { gateways: [gateway], readRecord: async () => undefined };
  narrator.report({ kind: "Gateway", gateway }, stack);
  narrator.report({ kind: "Part", name: "edge", running: false, expected: true }, stack);
  narrator.report({ kind: "Part", name: "edge", running: true, expected: true }, stack);
  const change = {
    question,
    before: answer("127.0.0.11", "127.0.0.12"),
    after: answer("127.0.0.12"),
    at: Date.now() + 50_000,
  };
  expect(await told(change)).toContain("          127.0.0.11 left: unhealthy\n");
});

test("one that was kept as the last leaves for another that is back: not late, but kept", async () => {
  gateway.broken = "status";
  narrator.report({ kind: "Gateway", gateway }, { gateways: [gateway], readRecord: async () => undefined });
  const change = { question, before: answer("127.0.0.11"), after: answer("127.0.0.12"), at: Date.now() + 60_000 };
  const text = await told(change);
  expect(text).toContain("          127.0.0.11 left, now that another is back: unhealthy\n");
  expect(text).toContain("          127.0.0.12 joined: no longer in the record\n");
});

test("a record whose domain was not there at the start: what to do", () => {
  const message = "agent: The edge refuses a/b: x.dev is not among the hosts that the cluster may name (*.test)";
  narrator.report({ kind: "Warning", message }, { gateways: [], readRecord: async () => undefined });
  expect(out.read()).toContain("Start the stack again");
});

test("on a terminal, long lines break at words and below their own beginning", async () => {
  Object.assign(out, { isTTY: true, columns: 50 });
  const before = answer("127.0.0.11", "127.0.0.12", "127.0.0.13");
  const text = await told({ question, before, after: answer("127.0.0.12"), at: 0 });
  expect(text.split("\n").slice(0, 3)).toEqual([
    "TIME  shop.example.test A   ○ 127.0.0.11",
    "          ● 127.0.0.12  ○ 127.0.0.13",
    "          127.0.0.11 left: unhealthy",
  ]);
});

test("addresses that came back since the edge is silent", async () => {
  await told({ question, after: answer("127.0.0.11", "127.0.0.12"), at: 0 });
  gateway.broken = "status";
  narrator.report(
    { kind: "Part", name: "edge", running: false, expected: true },
    { gateways: [gateway], readRecord: async () => undefined },
  );
  const change = {
    question,
    before: answer("127.0.0.12"),
    after: answer("127.0.0.11", "127.0.0.12"),
    at: Date.now() + 30_000,
  };
  expect(await told(change)).toContain(
    "127.0.0.11 is back, 30.0 s after the edge was stopped: the edge is silent, so the agent publishes all it has\n",
  );
});

test("a name that is gone shows its response code", async () => {
  const change = { question, before: answer("127.0.0.12"), after: { code: "NXDOMAIN", targets: [] }, at: 0 };
  expect(await told(change)).toContain("shop.example.test A   ○ 127.0.0.12   NXDOMAIN");
});

test("names without an answer are told with what stands in their way", async () => {
  const status = {
    leaves: [{ leaf: "127.0.0.11", published: false, reason: "PendingWithheld" }],
    probes: [],
  } as unknown as RecordStatus;
  const unanswered = { ...question, name: "new.example.test" };
  await narrator.reportUnanswered({
    gateways: [],
    answers: () => ({ "shop.example.test A": answer("127.0.0.12") }),
    records: { questions: [question, unanswered] },
    readRecord: async () => status,
  });
  const text = (out.read() as string).replace(/^\d\d:\d\d:\d\d/gm, "TIME");
  expect(text).toBe("TIME  new.example.test A   no address yet\n          127.0.0.11: not proven healthy yet\n");
});
