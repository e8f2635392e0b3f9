import { evictDurableObject, SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, inject, it } from "vitest";
import { startLive } from "../../test/support/live.ts";
import { HOST } from "../../test/tls-servers/case.ts";
import { measureWakingAlarm } from "./measure-sleep.ts";
import { MEASURES } from "./measurements.ts";
import type { CheckEnv, PlatformCheckRpc } from "./platform-check.ts";
import { checkAnswer, type Figures, MEASUREMENTS } from "./protocol.ts";

const { named, closed, blackHoles } = inject("gateways");

const here = (port: number | undefined) => `127.0.0.1:${port}`;
const TARGETS = {
  open: here(named.good),
  closedPort: here(closed),
  blackHole: here(blackHoles[0]),
  ipv6: `[::1]:${closed}`,
  tls: here(named.good),
  tlsHost: "shop.test",
};

const { CHECK_TOKEN, PLATFORM_CHECK } = env as unknown as CheckEnv;

const ask = (body: object, token = CHECK_TOKEN) =>
  SELF.fetch("https://platform-check.test/", {
    method: "POST",
    body: JSON.stringify({ targets: TARGETS, ...body }),
    headers: { authorization: `Bearer ${token}` },
  });

async function measure(measurement: string, more: object = {}): Promise<Figures> {
  const response = await ask({ measurement, ...more });
  expect(response.status).toBe(200);
  return checkAnswer.parse(await response.json()).figures;
}

describe("the platform check", () => {
  it.each([
    ["closed-port", { outcome: expect.stringContaining("cannot connect to the specified address") }],
    ["black-hole", { reason: "ConnectTimeout", timeoutMs: 2_000, returnedMs: expect.any(Number) }],
    ["seventh-dial", { outcome: "opened", slots: 6, hanging: 6 }],
    ["loopback-slots", { outcome: "opened", slots: 6, hung: 6 }],
    ["loopbacks", { tried: 40, made: expect.any(Number) }],
    ["ipv6", { outcome: expect.stringContaining("cannot connect to the specified address") }],
    ["key-exchange", { agrees: true, swapped: expect.any(Boolean) }],
    ["cpu", { exchanges: 100, exchangeMs: expect.any(Number), seenInsideMs: expect.any(Number) }],
    ["alarms", { set: 5, came: 5, worstLateMs: expect.any(Number) }],
    ["output-gate", { outcome: "opened", plainMs: expect.any(Number), afterWriteMs: expect.any(Number) }],
    ["rows", { plainInsert: 1, indexedInsert: 2, readOfTwo: 2 }],
    ["placement", {}],
  ])("measures %s", async (measurement, figures) => {
    expect(await measure(measurement)).toMatchObject(figures);
  });

  it("measures what loopbacks dial at once, here without a limit", async () => {
    expect(await measure("loopback-dials")).toMatchObject({
      own: "opened",
      hanging: 6,
      "1x1": expect.any(Number),
      "5x4": expect.any(Number),
    });
  });

  it("reports a target that should accept connections and does not", async () => {
    const targets = { ...TARGETS, open: here(closed) };
    for (const measurement of ["seventh-dial", "loopback-slots", "loopback-dials", "output-gate"]) {
      expect(await measure(measurement, { targets })).toHaveProperty("aloneOutcome");
    }
  });

  it("measures a handshake of the TLS client that probes have", async () => {
    const tls = here(await startLive("behaviour/good"));
    const figures = await measure("tls", { targets: { ...TARGETS, tls, tlsHost: HOST } });
    expect(figures).toMatchObject({ version: "TLSv1.3", connectMs: expect.any(Number), tlsMs: expect.any(Number) });
  });

  it("leaves nothing behind, so that it can measure again", async () => {
    expect([await measure("rows"), await measure("output-gate")]).toEqual([
      await measure("rows"),
      expect.objectContaining({ outcome: "opened" }),
    ]);
  });

  it("pings an object through a WebSocket, and reports whether it slept", async () => {
    expect(await measure("hibernation", { idleMs: 100 })).toMatchObject({
      memoryLost: false,
      answeredByPlatform: true,
    });
  });

  it("tells an alarm that woke the object from one that found it awake", async () => {
    expect(await measure("waking-alarm", { idleMs: 100 })).toEqual({
      idleMs: 100,
      lateMs: expect.any(Number),
      slept: false,
    });
    const stub = PLATFORM_CHECK.getByName(crypto.randomUUID());
    const measured = measureWakingAlarm(() => stub as unknown as PlatformCheckRpc, 1_500);
    await scheduler.wait(500);
    await evictDurableObject(stub);
    expect(await measured).toEqual({ idleMs: 1_500, lateMs: expect.any(Number), slept: true });
  });

  it("has a measure for each measurement that needs no caller", () => {
    expect([...Object.keys(MEASURES), "hibernation", "waking-alarm"].sort()).toEqual([...MEASUREMENTS].sort());
  });

  it.each([
    ["a host name with a line break", { tlsHost: "a.test\r\nX-Admin: 1" }],
    ["a target without a port", { open: "127.0.0.1" }],
  ])("refuses %s", async (_, change) => {
    expect((await ask({ measurement: "tls", targets: { ...TARGETS, ...change } })).status).toBe(422);
  });

  it("needs the token of its deployment, and POST", async () => {
    expect((await ask({ measurement: "cpu" }, "another")).status).toBe(401);
    expect((await SELF.fetch("https://platform-check.test/")).status).toBe(401);
    const headers = { authorization: `Bearer ${CHECK_TOKEN}` };
    expect((await SELF.fetch("https://platform-check.test/", { headers })).status).toBe(405);
  });
});
