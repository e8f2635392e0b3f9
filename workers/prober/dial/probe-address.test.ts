import { describe, expect, inject, it } from "vitest";
import { startOwnGateway } from "../../../test/support/own-gateway.ts";
import { free, reach } from "../../../test/support/reach.ts";
import type { ProbeRequest, ProbeResult } from "../probe/probe-request.ts";
import { probeAddress } from "./probe-address.ts";

const gateways = inject("gateways");
const TIMEOUT_MS = 1_000;
/** What a busy machine may add. */
const SLACK_MS = 10_000;
/** A probe that ends earlier has not waited for the deadline. */
const PATIENT = { timeoutMs: 3 * SLACK_MS };

type Name = keyof typeof gateways.named;

function ask(port: number, change: Partial<ProbeRequest> = {}): Promise<ProbeResult> {
  const question: ProbeRequest = {
    protocol: "HTTP",
    address: "127.0.0.1",
    port,
    host: "shop.test",
    path: "/healthz?deep=1",
    expectation: { statuses: [{ from: 200, to: 299 }], body: undefined },
    headers: {},
    userAgent: "Vedette/test (+https://vedette.test; region=weur)",
    timeoutMs: TIMEOUT_MS,
    ...change,
  };
  return probeAddress(reach, question, free);
}

const expecting = (body: string) => ({ expectation: { statuses: [{ from: 200, to: 299 }], body } });

describe("a gateway that", () => {
  const faults: [Name, string, "at once" | "at the deadline"][] = [
    ["silent", "ResponseTimeout", "at the deadline"],
    ["closesAtOnce", "ConnectionClosed", "at once"],
    ["closesAfterRequest", "ConnectionClosed", "at once"],
    ["resets", "ConnectionReset", "at once"],
    ["bytePerSecond", "ResponseTimeout", "at the deadline"],
    ["slowHeaders", "ResponseTimeout", "at the deadline"],
    ["endlessHeaders", "ResponseTooLarge", "at once"],
    ["tricklingBody", "ResponseTimeout", "at the deadline"],
    ["shortBody", "ConnectionClosed", "at once"],
    ["brokenChunk", "ConnectionClosed", "at once"],
    ["badChunkSize", "MalformedResponse", "at once"],
    ["notHttp", "MalformedResponse", "at once"],
    ["endlessInterim", "ResponseTooLarge", "at once"],
    ["switchesProtocols", "UnexpectedStatus", "at once"],
    ["redirectsElsewhere", "UnexpectedStatus", "at once"],
    ["unavailable", "UnexpectedStatus", "at once"],
    ["failsInWeur", "UnexpectedStatus", "at once"],
  ];
  it.each(faults)("%s fails with %s, %s", async (name, reason, when) => {
    const startedAt = Date.now();
    const probeResult = await ask(gateways.named[name], when === "at once" ? PATIENT : {});
    const tookMs = Date.now() - startedAt;
    expect(probeResult.reason, probeResult.message).toBe(reason);
    expect(tookMs).toBeLessThan(when === "at once" ? SLACK_MS : TIMEOUT_MS + SLACK_MS);
    expect(probeResult.message).toMatch(/^[A-Z].*\.$/);
  });

  it("times out after its headers is reported with the status that it sent", async () => {
    expect(await ask(gateways.named.tricklingBody)).toMatchObject({ reason: "ResponseTimeout", httpStatus: 200 });
    expect((await ask(gateways.named.slowHeaders)).httpStatus).toBeUndefined();
  });

  it.each<Name>([
    "good",
    "http10",
    "closeDelimited",
    "chunked",
    "heldOpen",
    "noContent",
    "interimFirst",
    "endlessBody",
    "gigabyteBody",
    "lateBody",
  ])("%s is ok, at once", async (name) => {
    const probeResult = await ask(gateways.named[name], PATIENT);
    expect(probeResult).toMatchObject({ reason: "Ok", httpStatus: name === "noContent" ? 204 : 200 });
    expect(probeResult.phases.totalMs).toBeLessThan(SLACK_MS);
    expect(probeResult.phases.firstByteMs).toBeGreaterThanOrEqual(probeResult.phases.connectMs ?? Number.NaN);
  });

  it("black-holes the dial times out, at the deadline", async () => {
    const probeResult = await ask(gateways.blackHoles[0] ?? 0);
    expect(probeResult).toMatchObject({ reason: "ConnectTimeout", phases: { totalMs: expect.any(Number) } });
    expect(probeResult.phases.totalMs).toBeGreaterThanOrEqual(TIMEOUT_MS - 5);
    expect(probeResult.phases.totalMs).toBeLessThan(TIMEOUT_MS + SLACK_MS);
    expect(probeResult.phases.connectMs).toBeUndefined();
  });

  it.each(faults)("%s is told of without a header's value", async (name) => {
    const probeResult = await ask(gateways.named[name], { headers: { "X-Api-Key": "S3CR3T" }, timeoutMs: 100 });
    expect(JSON.stringify(probeResult)).not.toContain("S3CR3T");
  });

  it("does not listen fails to connect", async () => {
    expect(await ask(gateways.closed)).toMatchObject({ reason: "ConnectFailed" });
  });
});

describe("the expected body", () => {
  it("is found in the chunks it is cut into", async () => {
    expect(await ask(gateways.named.chunked, expecting("ok"))).toMatchObject({ reason: "Ok" });
  });

  it("ends the check where it is found, though the body goes on", async () => {
    expect(await ask(gateways.named.tricklingBody, expecting("xx"))).toMatchObject({ reason: "Ok" });
  });

  it("has to be in the first 64 KiB", async () => {
    expect(await ask(gateways.named.lateBody, expecting("needle"))).toMatchObject({ reason: "BodyMismatch" });
  });

  it("that is missing is a mismatch, and its text is not told", async () => {
    const probeResult = await ask(gateways.named.good, expecting("S3CR3T"));
    expect(probeResult.reason).toBe("BodyMismatch");
    expect(probeResult.message).not.toContain("S3CR3T");
  });
});

describe("the request", () => {
  it("is the smallest correct one: nothing follows the blank line", async () => {
    const { port, seen } = await startOwnGateway("good");
    await ask(port, { headers: { "X-Api-Key": "v" } });
    const { lastRequest } = await seen();
    expect(lastRequest.split("\r\n")).toEqual([
      "GET /healthz?deep=1 HTTP/1.1",
      `Host: shop.test:${port}`,
      "User-Agent: Vedette/test (+https://vedette.test; region=weur)",
      "Accept: */*",
      "Connection: close",
      "X-Api-Key: v",
      "",
      "",
    ]);
  });
});

describe("TCP", () => {
  it("is ok when the connection opens, whatever is said on it", async () => {
    expect(await ask(gateways.named.silent, { protocol: "TCP" })).toMatchObject({ reason: "Ok" });
  });

  it("fails where nothing listens or nobody answers", async () => {
    expect(await ask(gateways.closed, { protocol: "TCP" })).toMatchObject({ reason: "ConnectFailed" });
    const hole = gateways.blackHoles[1] ?? 0;
    expect(await ask(hole, { protocol: "TCP" })).toMatchObject({ reason: "ConnectTimeout" });
  });
});
