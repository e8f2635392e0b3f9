import { createHash, X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { TlsClient } from "./client.ts";
import { RETRY, SCHEDULE, SIMPLE } from "./fixtures/rfc8448.ts";
import { expandLabel, finishedMac, KeySchedule } from "./key-schedule.ts";
import { makeKeyShare } from "./key-share.ts";

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, "hex"));
const hex = (content: Uint8Array) => Buffer.from(content).toString("hex");
const NOTHING = new Uint8Array(0);

/** A client that sends the hellos of the trace, and uses its private keys. */
function replay(hellos: string[], privateKeys: string[]): TlsClient {
  const randoms = [hex(new Uint8Array(32)), hex(new Uint8Array(32)), ...privateKeys];
  return new TlsClient({
    serverName: "server",
    allowInsecureCertificate: false,
    verify: ([first]) => {
      const leaf = new X509Certificate(first!);
      return { leaf: { publicKey: leaf.publicKey, notAfter: Date.parse(leaf.validTo) } };
    },
    offer: { versions: ["TLSv1.3"], keyShares: ["x25519"] },
    randomBytes: () => bytes(randoms.shift()!),
    rewriteHello: () => bytes(hellos.shift()!).subarray(5),
  });
}

test("§3: every record of the client, and every one of the server read", () => {
  const client = replay([SIMPLE.clientHello], [SIMPLE.clientPrivateKey]);
  expect(hex(client.start())).toBe(SIMPLE.clientHello);
  expect(hex(client.receive(bytes(SIMPLE.serverHello + SIMPLE.serverFlight)).send)).toBe(SIMPLE.clientFinished);
  expect(client.fault).toBeUndefined();
  expect(client.state).toBe("open");
  expect(client.info).toMatchObject({
    version: "TLSv1.3",
    cipherSuite: "TLS_AES_128_GCM_SHA256",
    notAfter: Date.parse("2026-07-30T01:23:59Z"),
  });

  const payload = Uint8Array.from({ length: 50 }, (_, at) => at);
  expect(client.receive(bytes(SIMPLE.ticket))).toEqual({ send: NOTHING, data: [] });
  expect(hex(client.encrypt(payload))).toBe(SIMPLE.clientData);
  expect(client.receive(bytes(SIMPLE.serverData)).data.map(hex)).toEqual([hex(payload)]);
  expect(hex(client.close())).toBe(SIMPLE.clientClose);
  client.receive(bytes(SIMPLE.serverClose));
  expect(client.state).toBe("closed");
});

test("§5: HelloRetryRequest", () => {
  const client = replay([RETRY.firstHello, RETRY.secondHello], [RETRY.firstPrivateKey, RETRY.secondPrivateKey]);
  expect(hex(client.start())).toBe(RETRY.firstHello);
  expect(hex(client.receive(bytes(RETRY.retryRequest)).send)).toBe(RETRY.secondHello);
  expect(hex(client.receive(bytes(RETRY.serverHello + RETRY.serverFlight)).send)).toBe(RETRY.clientFinished);
  expect(client.fault).toBeUndefined();
  expect(client.state).toBe("open");
});

test("§5: our own second ClientHello has the cookie, the share asked for, and otherwise what the first had", () => {
  const hellos: Uint8Array[] = [];
  const randoms = [RETRY.firstPrivateKey, RETRY.firstPrivateKey, RETRY.firstPrivateKey, RETRY.secondPrivateKey];
  const client = new TlsClient({
    serverName: "server",
    allowInsecureCertificate: false,
    verify: () => ({}),
    offer: { versions: ["TLSv1.3"], keyShares: ["x25519"] },
    randomBytes: () => bytes(randoms.shift()!),
    rewriteHello: (hello) => {
      hellos.push(hello);
      return hellos.length === 1 ? bytes(RETRY.firstHello).subarray(5) : hello;
    },
  });
  client.start();
  client.receive(bytes(RETRY.retryRequest));
  const [first, second] = hellos.map(hex);
  const extension = (from: string, type: string) => from.slice(from.indexOf(type));
  expect(second).toContain(extension(RETRY.secondHello, "002c0074").slice(0, 2 * 0x78));
  expect(second).toContain(extension(RETRY.secondHello, "003300470045").slice(0, 2 * 0x4b));
  expect(second?.slice(8, 90)).toBe(first?.slice(8, 90));
});

test("§3: the key schedule", () => {
  const shared = makeKeyShare("x25519", () => bytes(SIMPLE.clientPrivateKey)).agree(bytes(SIMPLE.serverPublicKey));
  expect(hex(shared)).toBe(SCHEDULE.sharedSecret);
  const schedule = new KeySchedule("sha256");
  const derive = (label: string, transcript: string) => hex(schedule.derive(label, bytes(transcript)));
  const empty = createHash("sha256").digest("hex");
  expect(derive("derived", empty)).toBe(SCHEDULE.derivedForHandshake);
  schedule.advance(shared);
  expect(derive("c hs traffic", SCHEDULE.atServerHello)).toBe(SCHEDULE.clientHandshake);
  expect(derive("s hs traffic", SCHEDULE.atServerHello)).toBe(SCHEDULE.serverHandshake);
  expect(derive("derived", empty)).toBe(SCHEDULE.derivedForMaster);
  schedule.advance();
  expect(derive("c ap traffic", SCHEDULE.atServerFinished)).toBe(SCHEDULE.clientApplication);
  expect(derive("s ap traffic", SCHEDULE.atServerFinished)).toBe(SCHEDULE.serverApplication);
  expect(derive("exp master", SCHEDULE.atServerFinished)).toBe(SCHEDULE.exporter);
  const finished = finishedMac("sha256", bytes(SCHEDULE.clientHandshake), bytes(SCHEDULE.atServerFinished));
  expect(hex(finished)).toBe(SCHEDULE.clientFinished);
});

test.each(["serverHandshake", "clientHandshake", "serverApplication", "clientApplication"] as const)(
  "§3: key and IV of %s",
  (name) => {
    const secret = bytes(SCHEDULE[name]);
    expect(hex(expandLabel("sha256", secret, "key", NOTHING, 16))).toBe(SCHEDULE[`${name}Key`]);
    expect(hex(expandLabel("sha256", secret, "iv", NOTHING, 12))).toBe(SCHEDULE[`${name}Iv`]);
  },
);
