/// <reference types="vite/types/importMeta.d.ts" />
import { connect } from "cloudflare:sockets";
import { runDurableObjectAlarm } from "cloudflare:test";
import { describe, expect, inject, it, vi } from "vitest";
import type { BehaviourName } from "../../../test/gateways/fleet.ts";
import { askHttps, httpsQuestion, startLive } from "../../../test/support/live.ts";
import { startOwnGateway } from "../../../test/support/own-gateway.ts";
import { assign, assignmentOf, byId, freshProber, inProber, probeOf, standIn } from "../../../test/support/prober.ts";
import { free, reach } from "../../../test/support/reach.ts";
import type { Connect } from "../dial/connection.ts";
import { probeAddress } from "../dial/probe-address.ts";
import type { ProbeRequest } from "./probe-request.ts";

const { named } = inject("gateways");
const BRIEF = { timeoutMs: 500, expectation: { statuses: [{ from: 200, to: 299 }], body: undefined } };
/** What a busy machine may add. */
const SLACK_MS = 10_000;
/** A probe that ends earlier has not waited for the deadline. */
const PATIENT = { ...BRIEF, timeoutMs: 3 * SLACK_MS };

type Name = keyof typeof named;

describe("a server that in the handshake", () => {
  const faults: [BehaviourName, string, RegExp, "at once" | "at the deadline"][] = [
    ["silent", "TLSHandshakeTimeout", /within 500 ms: the server did not say a word/, "at the deadline"],
    ["stallsInHello", "TLSHandshakeTimeout", /went silent in the middle/, "at the deadline"],
    ["closesAtOnce", "ConnectionClosed", /during the TLS handshake/, "at once"],
    ["closesAtHello", "ConnectionClosed", /during the TLS handshake, without a word: .* for shop\.test\?/, "at once"],
    ["resetsAtHello", "ConnectionReset", /during the TLS handshake, without a word/, "at once"],
    ["breaksOffHello", "ConnectionClosed", /during the TLS handshake, in the middle of it/, "at once"],
    ["takesLeave", "TLSAlert", /close_notify/, "at once"],
    ["answersInClear", "TLSProtocolError", /answers HTTP in clear on port \d+/, "at once"],
    ["speaksSsh", "TLSProtocolError", /./, "at once"],
    ["refusesHello", "TLSAlert", /handshake_failure/, "at once"],
    ["refusesName", "TLSAlert", /unrecognized_name/, "at once"],
    ["refusesVersion", "TLSVersionUnsupported", /./, "at once"],
  ];
  it.each(faults)("%s fails with %s", async (name, reason, message, when) => {
    const patience = when === "at once" ? PATIENT : BRIEF;
    const { port, seen } = await startOwnGateway(name);
    const probeResult = await askHttps(port, { ...patience, headers: { "X-Api-Key": "S3CR3T" } });
    expect(probeResult, probeResult.message).toMatchObject({ reason, message: expect.stringMatching(message) });
    expect(probeResult.message).toMatch(/^[A-Z].*[.?]$/);
    expect(probeResult.phases.totalMs).toBeLessThan((when === "at once" ? 0 : 500) + SLACK_MS);
    expect(probeResult.phases.tlsMs).toBeUndefined();
    expect((await seen()).lastRequest).not.toContain("S3CR3T");
    // The connection is closed, whatever happened on it.
    await vi.waitFor(async () => expect((await seen()).open).toBe(0));
  });

  it("does not listen fails to connect, as with any protocol", async () => {
    expect(await askHttps(inject("gateways").closed, BRIEF)).toMatchObject({ reason: "ConnectFailed" });
  });
});

describe("a gateway that behind the handshake", () => {
  const faults: [Name, string][] = [
    ["silent", "ResponseTimeout"],
    ["closesAtOnce", "ConnectionClosed"],
    ["closesAfterRequest", "ConnectionClosed"],
    ["tricklingBody", "ResponseTimeout"],
    ["endlessHeaders", "ResponseTooLarge"],
    ["endlessInterim", "ResponseTooLarge"],
    ["shortBody", "ConnectionClosed"],
    ["brokenChunk", "ConnectionClosed"],
    ["badChunkSize", "MalformedResponse"],
    ["notHttp", "MalformedResponse"],
    ["redirectsElsewhere", "UnexpectedStatus"],
    ["unavailable", "UnexpectedStatus"],
  ];
  it.each(faults)("%s fails with %s, as over HTTP", async (name, reason) => {
    const probeResult = await askHttps(await startLive(`behaviour/${name}`), {
      ...PATIENT,
      ...(reason === "ResponseTimeout" && { timeoutMs: 1_500 }),
    });
    expect(probeResult, probeResult.message).toMatchObject({ reason, tls: { version: "TLSv1.3" } });
    expect(probeResult.phases.tlsMs).toBeGreaterThanOrEqual(probeResult.phases.connectMs ?? Number.NaN);
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
  ])("%s is ok, as over HTTP", async (name) => {
    expect(await askHttps(await startLive(`behaviour/${name}`), PATIENT)).toMatchObject({ reason: "Ok" });
  });
});

describe("a certificate that expired ten minutes ago", () => {
  it("fails, and nothing is asked: no header leaves", async () => {
    const port = await startLive("expired");
    const probeResult = await askHttps(port, PATIENT);
    expect(probeResult).toMatchObject({ reason: "CertificateExpired", tls: { version: "TLSv1.3" } });
    expect(probeResult.message).toMatch(/\d{4}-\d\d-\d\d/);
    expect(probeResult.tls?.notAfter).toBeLessThan(Date.now());
    expect(probeResult.tls?.skipped).toBeUndefined();
    expect(probeResult.phases.firstByteMs).toBeUndefined();
  });

  it("is let pass where that is asked for, and the observation says what was", async () => {
    const expectation = { ...BRIEF.expectation, allowInsecureCertificate: true as const };
    const probeResult = await askHttps(await startLive("expired"), { ...PATIENT, expectation });
    expect(probeResult, probeResult.message).toMatchObject({
      reason: "Ok",
      tls: { skipped: { reason: "CertificateExpired" } },
    });
  });

  it("is judged by the clock of that moment", async () => {
    const port = await startLive("expired");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 1_800_000 });
    try {
      expect(await askHttps(port, PATIENT)).toMatchObject({ reason: "Ok" });
    } finally {
      vi.useRealTimers();
    }
  });
});

/** Dials for real, and notes what is written. */
function noting(): { connect: Connect; written: Uint8Array[] } {
  const written: Uint8Array[] = [];
  const noted: Connect = (address) => {
    const socket = connect(address);
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
      transform(octets, controller) {
        written.push(octets.slice());
        controller.enqueue(octets);
      },
    });
    void readable.pipeTo(socket.writable).catch(() => undefined);
    return { opened: socket.opened, readable: socket.readable, writable, close: () => socket.close() };
  };
  return { connect: noted, written };
}

const APPLICATION_DATA = 0x17;
/** A record with an alert of TLS 1.3: header, level and description, type, tag. */
const ALERT_OCTETS = 5 + 2 + 1 + 16;

describe("on the wire", () => {
  it("the session ends with a close_notify, for which nobody waits", async () => {
    const { connect: noted, written } = noting();
    const question = httpsQuestion(await startLive("behaviour/good"), PATIENT);
    const probeResult = await probeAddress({ ...reach, connect: noted }, question, free);
    expect(probeResult).toMatchObject({ reason: "Ok" });
    expect(probeResult.phases.totalMs).toBeLessThan(SLACK_MS);
    await vi.waitFor(() => expect(written.at(-1)).toHaveLength(ALERT_OCTETS));
    expect(written.at(-1)?.[0]).toBe(APPLICATION_DATA);
  });

  it("nothing of the request or its headers is in clear", async () => {
    const { connect: noted, written } = noting();
    const question = httpsQuestion(await startLive("behaviour/good"), {
      ...PATIENT,
      headers: { "X-Api-Key": "S3CR3T" },
    });
    await probeAddress({ ...reach, connect: noted }, question, free);
    const text = Buffer.concat(written).toString("latin1");
    expect(text).not.toMatch(/S3CR3T|GET |Vedette/);
    expect(text).toContain("shop.test");
  });

  it("the hello names the host, and nobody where the host is an address", async () => {
    const { port, seen } = await startOwnGateway("silent");
    const serverNameOf = async (change: Partial<ProbeRequest>) => {
      await askHttps(port, { ...BRIEF, timeoutMs: 100, ...change });
      return serverName(Buffer.from((await seen()).lastRequest, "latin1"));
    };
    expect(await serverNameOf({ host: "shop.test" })).toBe("shop.test");
    expect(await serverNameOf({ host: "xn--bcher-kva.test" })).toBe("xn--bcher-kva.test");
    expect(await serverNameOf({ host: "203.0.113.7" })).toBeUndefined();
    expect(await serverNameOf({ host: "2001:db8::7" })).toBeUndefined();
  });
});

/** The server name in a ClientHello (RFC 8446 §4.1.2, RFC 6066 §3), read by the test itself. */
function serverName(hello: Buffer): string | undefined {
  expect([hello[0], hello[5]]).toEqual([22, 1]);
  let at = 5 + 4 + 2 + 32;
  at += 1 + hello.readUInt8(at);
  at += 2 + hello.readUInt16BE(at);
  at += 1 + hello.readUInt8(at);
  const end = at + 2 + hello.readUInt16BE(at);
  expect(end).toBe(hello.length);
  for (at += 2; at < end; at += 4 + hello.readUInt16BE(at + 2)) {
    if (hello.readUInt16BE(at) === 0) return hello.subarray(at + 9, at + 4 + hello.readUInt16BE(at + 2)).toString();
  }
  return undefined;
}

describe("the slot of a dial", () => {
  it("is settled by the server's first octet, not by the dial and not by the answer", async () => {
    const settledBy = async (name: Name) => {
      let isSettled = false;
      const settled = () => {
        isSettled = true;
      };
      await probeAddress(reach, httpsQuestion(named[name], { ...BRIEF, timeoutMs: 300 }), { ...free, settled });
      return isSettled;
    };
    expect(await settledBy("stallsInHello")).toBe(true);
    expect(await settledBy("silent")).toBe(false);
  });
});

describe("a prober", () => {
  it("asks over HTTPS in a loopback invocation and on its own sockets, with the roots of its settings", async () => {
    const stub = freshProber();
    const port = await startLive("behaviour/good");
    const { target } = probeOf("a", port);
    await assign(stub, assignmentOf(1, [probeOf("a", port, { target: { ...target, protocol: "HTTPS" } })]));
    const reports = await standIn(stub);
    const elsewhere: string[] = [];
    await inProber(stub, ({ dependencies }) => {
      const { probeInLoopback } = dependencies;
      dependencies.probeInLoopback = async (question) => {
        const probeResult = await probeInLoopback(question);
        elsewhere.push(probeResult.reason);
        return probeResult;
      };
    });
    // The first dial to a leaf may hang, and is made elsewhere; the second is not.
    for (let round = 0; round < 2; round += 1) await runDurableObjectAlarm(stub);
    const observations = reports.map((report) => byId(report).a?.observation);
    for (const observation of observations) {
      expect(observation, observation?.message).toMatchObject({ reason: "Ok", tls: { version: "TLSv1.3" } });
    }
    expect(observations).toHaveLength(2);
    expect(elsewhere).toEqual(["Ok"]);
  });
});

describe("the source of the prober", () => {
  const sources = import.meta.glob<string>("../**/*.ts", { query: "?raw", import: "default", eager: true });
  const product = Object.entries(sources).filter(([file]) => !file.endsWith(".test.ts"));

  it("has no way to probe but a socket of its own: no startTls, no TLS of the platform's, no fetch", () => {
    expect(product.length).toBeGreaterThan(50);
    const using = (pattern: RegExp) => product.filter(([, text]) => pattern.test(text)).map(([file]) => file);
    expect(using(/startTls|secureTransport|node:https?"/)).toEqual([]);
    // The build takes Mozilla's roots from Node.
    expect(using(/node:tls/)).toEqual(["../tls/generate-roots.ts"]);
    expect(using(/\bfetch\(/).sort()).toEqual(["../colo.ts", "../resolve/dns-over-https.ts"]);
  });
});
