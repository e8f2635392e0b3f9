import { describe, expect, test } from "vitest";
import { trustScript } from "../../../test/support/tls-script.ts";
import { CHANGE, ScriptedServer12 } from "../../../test/support/tls-script12.ts";
import type { Step13 } from "../../../test/support/tls-script13.ts";
import { ScriptedServer13 } from "../../../test/support/tls-script13.ts";
import { concat, u8, u16, vector8, vector16, vector24 } from "./bytes.ts";
import { TlsClient } from "./client.ts";
import type { VersionName } from "./parameters.ts";

const NOTHING = new Uint8Array(0);
/** What a server may send, at most, before the client takes it for endless. */
const MOST_OCTETS = 4 * 1024 * 1024;
const LONG = 128 * 1024;
/** Records that a handshake may be spread over. */
const RECORDS = 8_192;

function start(versions: VersionName[]) {
  let verified = 0;
  const verify = () => {
    verified++;
    return trustScript();
  };
  const client = new TlsClient({ serverName: "server", allowInsecureCertificate: false, verify, offer: { versions } });
  return { client, hello: client.start(), verified: () => verified };
}

/** Feeds what `make` gives until the client has had enough; how many octets that took, and how many it sent. */
function feed(client: TlsClient, make: () => Uint8Array): { octets: number; sent: number } {
  let [octets, sent] = [0, 0];
  while (client.fault === undefined && octets < MOST_OCTETS) {
    const piece = make();
    octets += piece.length;
    sent += client.receive(piece).send.length;
  }
  return { octets, sent };
}

const clear = (type: number, body: Uint8Array) => concat(u8(type), u16(0x0303), vector16(body));
const startOf = (type: number, length: number) => concat(u8(type), u8(length >> 16), u16(length & 0xffff));

/** The pieces one by one, and the last again and again. */
function inTurn(...pieces: Uint8Array[]): () => Uint8Array {
  let given = 0;
  return () => pieces[Math.min(given++, pieces.length - 1)]!;
}

describe("before the ServerHello", () => {
  test.each<[string, number, () => Uint8Array]>([
    ["warnings", 100, inTurn(clear(21, Uint8Array.of(1, 112)))],
    [
      "warnings that take turns with ChangeCipherSpecs",
      100,
      inTurn(concat(clear(21, Uint8Array.of(1, 112)), clear(20, u8(1)))),
    ],
    ["user_canceled", 100, inTurn(clear(21, Uint8Array.of(1, 90)))],
    ["HelloRequests", 1_000, inTurn(clear(22, new Uint8Array(4)))],
    ["HelloRequests, thousands in a record", 20_000, inTurn(clear(22, new Uint8Array(16_384)))],
    ["empty records", 10, inTurn(clear(22, NOTHING))],
    ["a message in records of one octet", (RECORDS + 1) * 9, inTurn(clear(22, startOf(2, LONG)), clear(22, u8(0)))],
    ["a message that is too long", 10, inTurn(clear(22, startOf(2, LONG + 1)))],
    ["messages as long as may be", 2 * LONG, inTurn(clear(22, startOf(2, LONG)), clear(22, new Uint8Array(16_384)))],
  ])("%s", (_title, most, make) => {
    const { client } = start(["TLSv1.3", "TLSv1.2"]);
    const { octets, sent } = feed(client, make);
    expect(client.fault?.reason).toBe("TLSProtocolError");
    expect(octets).toBeLessThanOrEqual(most);
    expect(sent).toBeLessThan(50);
  });

  test("octets one by one, without end", () => {
    const { client } = start(["TLSv1.3"]);
    const record = clear(22, startOf(2, 16_000));
    let given = 0;
    const { octets } = feed(client, () => u8(record[given++ % record.length] ?? 0));
    expect(client.fault).toBeDefined();
    expect(octets).toBeLessThan(40_000);
  });
});

/** As many certificates as a message holds, each so small that they are many. */
const CROWD = 120 * 1024;

describe("a crowd of certificates", () => {
  test("in TLS 1.3 is one verification at most", () => {
    const { client, hello, verified } = start(["TLSv1.3"]);
    const entries = concat(...Array.from({ length: CROWD / 6 }, () => concat(vector24(u8(1)), vector16(NOTHING))));
    const edits = { Certificate: () => concat(vector8(NOTHING), vector24(entries)) };
    client.receive(new ScriptedServer13(hello, { edits, honest: true }).flight());
    expect(client.state).toBe("failed");
    expect(verified()).toBe(1);
  });

  test("in TLS 1.2 is one verification at most", () => {
    const { client, hello, verified } = start(["TLSv1.2"]);
    const entries = concat(...Array.from({ length: CROWD / 4 }, () => vector24(u8(1))));
    const server = new ScriptedServer12(hello, { edits: { Certificate: () => vector24(entries) } });
    client.receive(server.flight());
    expect(verified()).toBe(1);
    expect(client.fault).toBeUndefined();
  });
});

describe("TLS 1.3, within the handshake", () => {
  test.each<[string, number, Step13[]]>([
    [
      "a message in records of one octet",
      (RECORDS + 9) * 23,
      [
        { record: 22, body: startOf(8, LONG) },
        { record: 22, body: u8(0) },
      ],
    ],
    ["user_canceled", 1_000, [{ record: 21, body: Uint8Array.of(1, 90) }]],
    ["empty application data", 10_000, [{ record: 23, body: NOTHING }]],
    ["CertificateRequests", 1_000, [{ type: 13, body: concat(vector8(NOTHING), vector16(NOTHING)) }]],
  ])("%s", (_title, most, steps) => {
    const { client, hello } = start(["TLSv1.3"]);
    const server = new ScriptedServer13(hello);
    client.receive(server.send("ServerHello"));
    expect(client.fault).toBeUndefined();
    let given = 0;
    const { octets, sent } = feed(client, () => server.send(steps[Math.min(given++, steps.length - 1)]!));
    expect(client.fault?.reason).toBe("TLSProtocolError");
    expect(octets).toBeLessThanOrEqual(most);
    expect(sent).toBeLessThan(100);
  });
});

describe("TLS 1.3, after the handshake", () => {
  const ticket = { type: 4, body: concat(new Uint8Array(9), vector16(u8(1)), u16(0)) };
  test.each<[string, number, Step13]>([
    ["tickets", 5_000, ticket],
    [
      "long tickets",
      2 * 1024 * 1024,
      { type: 4, body: concat(new Uint8Array(9), vector16(new Uint8Array(60_000)), u16(0)) },
    ],
    ["empty application data", 5_000, { record: 23, body: NOTHING }],
    ["user_canceled", 1_000, { record: 21, body: Uint8Array.of(1, 90) }],
  ])("%s", (_title, most, step) => {
    const { client, hello } = start(["TLSv1.3"]);
    const server = new ScriptedServer13(hello);
    client.receive(server.flight());
    expect(client.state).toBe("open");
    const { octets, sent } = feed(client, () => server.send(step));
    expect(client.fault?.reason).toBe("TLSProtocolError");
    expect(octets).toBeLessThanOrEqual(most);
    expect(sent).toBeLessThan(100);
  });
});

describe("TLS 1.2, after the handshake", () => {
  test.each<[string, number, number, { type: number; body: Uint8Array } | { record: number; body: Uint8Array }]>([
    // Each is declined, until there were too many.
    ["HelloRequests", 5_000, 64 * 31 + 100, { type: 0, body: NOTHING }],
    ["warnings", 1_000, 100, { record: 21, body: Uint8Array.of(1, 112) }],
  ])("%s", (_title, most, mostSent, step) => {
    const { client, hello } = start(["TLSv1.2"]);
    const server = new ScriptedServer12(hello);
    client.receive(server.end(client.receive(server.flight()).send));
    expect(client.state).toBe("open");
    const { octets, sent } = feed(client, () => server.send(step));
    expect(client.fault?.reason).toBe("TLSProtocolError");
    expect(octets).toBeLessThanOrEqual(most);
    expect(sent).toBeLessThanOrEqual(mostSent);
  });

  test("ChangeCipherSpecs", () => {
    const { client, hello } = start(["TLSv1.2"]);
    const server = new ScriptedServer12(hello);
    client.receive(server.end(client.receive(server.flight()).send));
    client.receive(server.send(CHANGE));
    expect(client.state).toBe("failed");
  });
});
