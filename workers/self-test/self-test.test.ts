import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, inject, it } from "vitest";
import { type Figures, MEASUREMENTS, selfTestAnswer, TARGETS_OF } from "../../shared/model/self-test.ts";
import { callEdge } from "../../test/support/edge.ts";
import { startLive } from "../../test/support/live.ts";
import { HOST } from "../../test/tls-servers/case.ts";
import type { Env } from "../env.ts";
import { MEASURES } from "./measures.ts";
import type { SelfTestRpc } from "./self-test.ts";
import { measureWakingAlarm } from "./waking-alarm.ts";

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

const ask = (body: object, options: object = {}) =>
  callEdge("/v1/self-test", { method: "POST", body: JSON.stringify({ targets: TARGETS, ...body }), ...options });

async function measure(measurement: string, more: object = {}): Promise<Figures> {
  const response = await ask({ measurement, ...more });
  expect(response.status).toBe(200);
  return selfTestAnswer.parse(await response.json()).figures;
}

describe("the self-test", () => {
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

  it("measures what loopbacks dial at once, with the setting that it is for: here without a limit", async () => {
    expect(await measure("loopback-dials")).toMatchObject({
      dialsTogether: 1,
      own: "opened",
      hanging: 6,
      "1x1": expect.any(Number),
      "5x4": expect.any(Number),
    });
  });

  it("says of a target that accepts nothing that it does not, where it should", async () => {
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

  it("can do so again, for it leaves nothing behind", async () => {
    expect([await measure("rows"), await measure("output-gate")]).toEqual([
      await measure("rows"),
      expect.objectContaining({ outcome: "opened" }),
    ]);
  });

  it("pings an object through a WebSocket, and says whether it had slept", async () => {
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
    const { SELF_TEST } = env as unknown as Env;
    const stub = SELF_TEST.getByName(crypto.randomUUID());
    const measured = measureWakingAlarm(() => stub as unknown as SelfTestRpc, 1_500);
    await scheduler.wait(500);
    await evictDurableObject(stub);
    expect(await measured).toEqual({ idleMs: 1_500, lateMs: expect.any(Number), slept: true });
  });

  it("has a measure for each measurement that is not made from outside", () => {
    expect([...Object.keys(MEASURES), "hibernation", "waking-alarm"].sort()).toEqual([...MEASUREMENTS].sort());
  });

  it.each([
    ["a private target", { ALLOW_PRIVATE_ADDRESSES: "false" }, "127.0.0.1 is a loopback address"],
    ["a port that probes may not dial", { ALLOWED_PORTS: "443" }, "ALLOWED_PORTS does not name port"],
  ])("refuses %s", async (_, settings, rule) => {
    const response = await ask({ measurement: "closed-port" }, { settings });
    expect(response.status).toBe(422);
    expect(await response.text()).toContain(rule);
  });

  it("asks nothing of targets that a measurement does not dial", async () => {
    const response = await ask({ measurement: "rows" }, { settings: { ALLOWED_PORTS: "443" } });
    expect(response.status).toBe(200);
  });

  it.each(Object.entries(TARGETS_OF))("lets %s dial nothing that probes may not", async (measurement, names) => {
    const response = await ask({ measurement }, { settings: { ALLOWED_PORTS: "443" } });
    const { errors } = (await response.json()) as { errors: { field: string }[] };
    expect(errors.map(({ field }) => field)).toEqual(names.map((name) => `targets.${name}`));
  });

  it("takes host names alone as the name of the server", async () => {
    const response = await ask({ measurement: "tls", targets: { ...TARGETS, tlsHost: "a.test\r\nX-Admin: 1" } });
    expect(response.status).toBe(422);
  });

  it("is for the admin alone", async () => {
    expect((await ask({ measurement: "cpu" }, { token: undefined })).status).toBe(401);
  });
});
