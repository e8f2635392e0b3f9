import { describe, expect, test } from "vitest";
import { alertIn, extension, serverHello, trustScript } from "../../../test/support/tls-script.ts";
import type { Script13, Step13 } from "../../../test/support/tls-script13.ts";
import { FLIGHT13, ScriptedServer13 } from "../../../test/support/tls-script13.ts";
import { concat, u8, u16, vector8, vector16, vector24 } from "./bytes.ts";
import { TlsClient } from "./client.ts";
import { HANDSHAKE } from "./parameters.ts";

const NOTHING = new Uint8Array(0);
const RETRY_RANDOM = new Uint8Array(
  Buffer.from("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c", "hex"),
);

function run(script: Script13) {
  const client = new TlsClient({ serverName: "server", allowInsecureCertificate: false, verify: trustScript });
  const server = new ScriptedServer13(client.start(), script);
  const { send } = client.receive(server.flight());
  return { client, server, send };
}

test("the script without a fault opens", () => {
  const { client } = run({});
  expect(client.fault).toBeUndefined();
  expect(client.state).toBe("open");
});

const without = (name: string) => FLIGHT13.filter((each) => each !== name);
const before = (name: string, ...steps: Step13[]) =>
  FLIGHT13.flatMap((each) => (each === name ? [...steps, each] : [each]));
const instead = (name: string, ...steps: Step13[]) => FLIGHT13.flatMap((each) => (each === name ? steps : [each]));
const adding = (content: Uint8Array): Script13 => ({
  hello: (parts) => ({ ...parts, extensions: [...parts.extensions, content] }),
});
const flipLast = (body: Uint8Array) => body.with(-1, (body.at(-1) ?? 0) ^ 1) as Uint8Array;
const shareOf = (group: number, key: Uint8Array): Script13 => ({
  hello: (parts) => ({
    ...parts,
    extensions: [extension(43, u16(0x0304)), extension(51, concat(u16(group), vector16(key)))],
  }),
});
const extensions = (content: Uint8Array): Script13 => ({ edits: { EncryptedExtensions: () => vector16(content) } });
const certificate = (context: Uint8Array, entries: Uint8Array): Script13 => ({
  edits: { Certificate: () => concat(vector8(context), vector24(entries)) },
});
const request = (context: Uint8Array, content: Uint8Array): Step13 => ({
  type: HANDSHAKE.certificateRequest,
  body: concat(vector8(context), vector16(content)),
});

const TABLE: [string, string, Script13][] = [
  // ServerHello
  ["an encrypted flight without ServerHello", "unexpected_message", { steps: without("ServerHello") }],
  ["ServerHello twice", "unexpected_message", { steps: before("EncryptedExtensions", { type: 2, body: NOTHING }) }],
  ["a suite not offered", "illegal_parameter", { hello: (parts) => ({ ...parts, suite: 0x1304 }) }],
  ["a suite of TLS 1.2 in TLS 1.3", "illegal_parameter", { hello: (parts) => ({ ...parts, suite: 0xc02f }) }],
  ["compression", "illegal_parameter", { hello: (parts) => ({ ...parts, compression: 1 }) }],
  ["another session id", "illegal_parameter", { hello: (parts) => ({ ...parts, sessionId: new Uint8Array(32) }) }],
  ["no session id", "illegal_parameter", { hello: (parts) => ({ ...parts, sessionId: NOTHING }) }],
  ["a legacy version other than 1.2", "illegal_parameter", { hello: (parts) => ({ ...parts, version: 0x0304 }) }],
  [
    "a selected version before 1.3",
    "illegal_parameter",
    { hello: (p) => ({ ...p, extensions: [extension(43, u16(0x0303))] }) },
  ],
  ["no key share", "missing_extension", { hello: (p) => ({ ...p, extensions: [extension(43, u16(0x0304))] }) }],
  ["a share for a group without one", "illegal_parameter", shareOf(0x18, new Uint8Array(97).fill(4))],
  ["a share for a group not offered", "illegal_parameter", shareOf(0x1e, new Uint8Array(56))],
  ["x25519 of 31 bytes", "illegal_parameter", shareOf(0x1d, new Uint8Array(31))],
  ["x25519 of low order", "illegal_parameter", shareOf(0x1d, new Uint8Array(32))],
  ["a point that is off the curve", "illegal_parameter", shareOf(0x17, new Uint8Array(65).fill(4))],
  ["a compressed point", "illegal_parameter", shareOf(0x17, new Uint8Array(33).fill(2))],
  ["a point at infinity", "illegal_parameter", shareOf(0x17, new Uint8Array(1))],
  ["a pre-shared key", "unsupported_extension", adding(extension(41, u16(0)))],
  ["early data", "unsupported_extension", adding(extension(42, NOTHING))],
  ["an unknown extension", "unsupported_extension", adding(extension(0x1234, NOTHING))],
  ["ALPN in the ServerHello", "illegal_parameter", adding(extension(16, NOTHING))],
  ["an extension twice", "illegal_parameter", adding(extension(43, u16(0x0304)))],
  ["a ServerHello cut short", "decode_error", { edits: { ServerHello: (body) => body.subarray(0, -1) } }],
  ["a ServerHello with more", "decode_error", { edits: { ServerHello: (body) => concat(body, u8(0)) } }],
  ["an empty ServerHello", "decode_error", { edits: { ServerHello: () => NOTHING } }],
  // HelloRetryRequest
  [
    "a retry for a group sent already",
    "illegal_parameter",
    {
      hello: (p) => ({
        ...p,
        random: RETRY_RANDOM,
        extensions: [extension(43, u16(0x0304)), extension(51, u16(0x1d))],
      }),
    },
  ],
  [
    "a retry for a group not offered",
    "illegal_parameter",
    {
      hello: (p) => ({
        ...p,
        random: RETRY_RANDOM,
        extensions: [extension(43, u16(0x0304)), extension(51, u16(0x1e))],
      }),
    },
  ],
  [
    "a retry that changes nothing",
    "illegal_parameter",
    {
      hello: (p) => ({ ...p, random: RETRY_RANDOM, extensions: [extension(43, u16(0x0304))] }),
    },
  ],
  [
    "a retry with an empty cookie",
    "decode_error",
    {
      hello: (p) => ({ ...p, random: RETRY_RANDOM, extensions: [extension(43, u16(0x0304)), extension(44, u16(0))] }),
    },
  ],
  // EncryptedExtensions
  ["no EncryptedExtensions", "unexpected_message", { steps: without("EncryptedExtensions") }],
  ["an extension not offered in it", "unsupported_extension", extensions(extension(0x1234, NOTHING))],
  ["a key share in it", "illegal_parameter", extensions(extension(51, NOTHING))],
  ["supported_versions in it", "illegal_parameter", extensions(extension(43, u16(0x0304)))],
  [
    "another protocol",
    "illegal_parameter",
    extensions(extension(16, vector16(vector8(new TextEncoder().encode("h2"))))),
  ],
  ["two protocols", "decode_error", extensions(extension(16, vector16(concat(vector8(u8(65)), vector8(u8(66))))))],
  ["an extension twice in it", "illegal_parameter", extensions(concat(extension(0, NOTHING), extension(0, NOTHING)))],
  ["more behind its extensions", "decode_error", { edits: { EncryptedExtensions: (body) => concat(body, u8(0)) } }],
  // CertificateRequest
  [
    "CertificateRequest twice",
    "unexpected_message",
    {
      steps: before("Certificate", request(NOTHING, extension(13, NOTHING)), request(NOTHING, extension(13, NOTHING))),
    },
  ],
  [
    "CertificateRequest after Certificate",
    "unexpected_message",
    {
      steps: before("CertificateVerify", request(NOTHING, extension(13, NOTHING))),
    },
  ],
  [
    "CertificateRequest with a context",
    "illegal_parameter",
    { steps: before("Certificate", request(u8(1), extension(13, NOTHING))) },
  ],
  [
    "CertificateRequest without schemes",
    "missing_extension",
    { steps: before("Certificate", request(NOTHING, NOTHING)) },
  ],
  // Certificate
  ["no Certificate", "unexpected_message", { steps: without("Certificate") }],
  ["an empty Certificate", "decode_error", certificate(NOTHING, NOTHING)],
  ["a Certificate with a context", "illegal_parameter", certificate(u8(1), NOTHING)],
  [
    "a staple not asked for",
    "unsupported_extension",
    certificate(NOTHING, concat(vector24(u8(1)), vector16(extension(5, NOTHING)))),
  ],
  ["a Certificate cut short", "decode_error", { edits: { Certificate: (body) => body.subarray(0, -1) } }],
  ["a compressed Certificate", "unexpected_message", { steps: instead("Certificate", { type: 25, body: NOTHING }) }],
  // CertificateVerify
  ["no CertificateVerify", "unexpected_message", { steps: without("CertificateVerify") }],
  [
    "neither Certificate nor CertificateVerify",
    "unexpected_message",
    { steps: ["ServerHello", "EncryptedExtensions", "Finished"] },
  ],
  ["a wrong signature", "decrypt_error", { edits: { CertificateVerify: flipLast } }],
  ["a scheme for another curve", "illegal_parameter", { scheme: 0x0503 }],
  ["a scheme for another kind of key", "illegal_parameter", { scheme: 0x0804 }],
  ["PKCS #1", "illegal_parameter", { scheme: 0x0401 }],
  ["SHA-1", "illegal_parameter", { scheme: 0x0203 }],
  ["a scheme that is unknown", "illegal_parameter", { scheme: 0xfafa }],
  ["no signature", "decrypt_error", { edits: { CertificateVerify: (body) => concat(body.subarray(0, 2), u16(0)) } }],
  // Finished
  ["a wrong Finished", "decrypt_error", { edits: { Finished: flipLast } }],
  ["an empty Finished", "decrypt_error", { edits: { Finished: () => NOTHING } }],
  ["a Finished with more", "decrypt_error", { edits: { Finished: (body) => concat(body, u8(0)) } }],
  ["Finished before its time", "unexpected_message", { steps: ["ServerHello", "Finished"] }],
  // records
  [
    "application data in the handshake",
    "unexpected_message",
    { steps: before("Certificate", { record: 23, body: u8(1) }) },
  ],
  ["an empty handshake record", "unexpected_message", { steps: before("Certificate", { record: 22, body: NOTHING }) }],
  [
    "a message in another's middle",
    "unexpected_message",
    {
      steps: before("Certificate", { record: 22, body: Uint8Array.of(11, 0, 0, 9) }, { record: 23, body: u8(1) }),
    },
  ],
  [
    "ChangeCipherSpec of two bytes",
    "unexpected_message",
    { steps: before("ServerHello", { record: 20, body: Uint8Array.of(1, 1) }) },
  ],
  [
    "ChangeCipherSpec without end",
    "unexpected_message",
    {
      steps: Array.from({ length: 20 }, () => ({ record: 20, body: u8(1) })),
    },
  ],
  ["ChangeCipherSpec encrypted", "unexpected_message", { steps: before("Certificate", { record: 20, body: u8(1) }) }],
  [
    "an encrypted record of unknown type",
    "unexpected_message",
    { steps: before("Certificate", { record: 24, body: u8(1) }) },
  ],
  [
    "a handshake without end",
    "unexpected_message",
    { steps: Array.from({ length: 80 }, () => ({ type: 0, body: NOTHING })) },
  ],
  ["a message of 16 MB", "decode_error", { steps: [{ record: 22, body: Uint8Array.of(2, 255, 255, 255) }] }],
  ["an alert of one byte", "decode_error", { steps: [{ record: 21, body: u8(1) }] }],
];

describe("a server of TLS 1.3 that breaks the rules", () => {
  test.each(TABLE)("%s: %s", (_title, alert, script) => {
    const { client, server, send } = run(script);
    expect(client.fault?.message).toContain(`(${alert})`);
    expect(client.fault?.reason).toBe("TLSProtocolError");
    expect(client.state).toBe("failed");
    // Where the client has no keys yet, it cannot encrypt its alert.
    const plain = send[0] === 21;
    if (plain) server.reads.read = undefined;
    expect(alertIn(server.reads, send)).toBe(alert);
    expect(client.receive(server.flight())).toEqual({ send: NOTHING, data: [] });
    expect(client.close()).toEqual(NOTHING);
  });
});

test("a message in the clear in the record of the ServerHello", () => {
  const client = new TlsClient({ serverName: "server", allowInsecureCertificate: false, verify: trustScript });
  const hello = new ScriptedServer13(client.start()).send("ServerHello");
  const more = concat(hello, Uint8Array.of(8, 0, 0, 2, 0, 0)).with(4, (hello[4] ?? 0) + 6);
  client.receive(new Uint8Array(more));
  expect(client.fault?.message).toMatch(/same record as its ServerHello.*unexpected_message/);
});

test("a second HelloRetryRequest", () => {
  const client = new TlsClient({ serverName: "server", allowInsecureCertificate: false, verify: trustScript });
  const { hello } = new ScriptedServer13(client.start());
  const retry = (group: number) => {
    const parts = { random: RETRY_RANDOM, sessionId: hello.sessionId, suite: 0x1301 };
    const body = serverHello({ ...parts, extensions: [extension(43, u16(0x0304)), extension(51, u16(group))] });
    const message = concat(u8(2), vector24(body));
    return concat(u8(22), u16(0x0303), vector16(message));
  };
  client.receive(retry(0x18));
  expect(client.state).toBe("handshaking");
  client.receive(retry(0x19));
  expect(client.fault?.message).toMatch(/second HelloRetryRequest/);
});

const AFTER: [string, string, Step13[]][] = [
  ["a KeyUpdate of 2", "illegal_parameter", [{ type: 24, body: u8(2) }]],
  ["a KeyUpdate of two bytes", "decode_error", [{ type: 24, body: Uint8Array.of(0, 0) }]],
  [
    "a KeyUpdate with a message behind it",
    "unexpected_message",
    [{ record: 22, body: Uint8Array.of(24, 0, 0, 1, 0, 4) }],
  ],
  ["a ticket cut short", "decode_error", [{ type: 4, body: u8(0) }]],
  ["a ServerHello", "unexpected_message", [{ type: 2, body: NOTHING }]],
  ["a HelloRequest", "unexpected_message", [{ type: 0, body: NOTHING }]],
  ["a CertificateRequest not offered", "unexpected_message", [request(u8(1), extension(13, NOTHING))]],
  [
    "tickets without end",
    "unexpected_message",
    Array.from({ length: 80 }, () => ({ type: 4, body: concat(new Uint8Array(9), vector16(u8(1)), u16(0)) })),
  ],
  [
    "empty records without end",
    "unexpected_message",
    Array.from({ length: 40 }, () => ({ record: 23, body: NOTHING })),
  ],
];

describe("after the handshake", () => {
  test.each(AFTER)("%s: %s", (_title, alert, steps) => {
    const { client, server } = run({});
    server.readApplication();
    const { send } = client.receive(concat(...steps.map((step) => server.send(step))));
    expect(client.fault?.message).toContain(`(${alert})`);
    expect(alertIn(server.reads, send)).toBe(alert);
  });
});
