import { describe, expect, test } from "vitest";
import { alertIn, extension, trustScript } from "../../../test/support/tls-script.ts";
import type { Script12, Step12 } from "../../../test/support/tls-script12.ts";
import { CHANGE, END12, FLIGHT12, ScriptedServer12 } from "../../../test/support/tls-script12.ts";
import { concat, u8, u16, vector8, vector16, vector24 } from "./bytes.ts";
import { TlsClient } from "./client.ts";
import type { Offer } from "./offer.ts";

const NOTHING = new Uint8Array(0);
const ONLY_12: Partial<Offer> = { versions: ["TLSv1.2"] };

function run(script: Script12, offer: Partial<Offer> = ONLY_12) {
  const client = new TlsClient({ serverName: "server", allowInsecureCertificate: false, verify: trustScript, offer });
  const server = new ScriptedServer12(client.start(), script);
  let { send } = client.receive(server.flight());
  if (client.state === "handshaking") ({ send } = client.receive(server.end(send)));
  return { client, server, send };
}

test("the script without a fault opens, without and with TLS 1.3 in the offer", () => {
  for (const offer of [ONLY_12, {}]) {
    const { client } = run({}, offer);
    expect(client.fault).toBeUndefined();
    expect(client.state).toBe("open");
    expect(client.info).toMatchObject({ version: "TLSv1.2", cipherSuite: "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256" });
  }
});

const TICKET: Step12 = { type: 4, body: concat(new Uint8Array(4), vector16(u8(1))) };
const HELLO_REQUEST: Step12 = { type: 0, body: NOTHING };
const REQUEST: Step12 = { type: 13, body: concat(vector8(u8(1)), vector16(u16(0x0403)), u16(0)) };
const before = (name: string, ...steps: Step12[]) =>
  FLIGHT12.flatMap((each) => (each === name ? [...steps, each] : [each]));
const without = (name: string) => FLIGHT12.filter((each) => each !== name);
const adding = (content: Uint8Array): Script12 => ({
  hello: (parts) => ({ ...parts, extensions: [...parts.extensions, content] }),
});
const flipLast = (body: Uint8Array) => new Uint8Array(body.with(-1, (body.at(-1) ?? 0) ^ 1));
const sentinel = (last: number) => concat(new Uint8Array(24), new TextEncoder().encode("DOWNGRD"), u8(last));

test.each<[string, Script12]>([
  ["HelloRequest", { steps: before("Certificate", HELLO_REQUEST) }],
  ["a ticket not asked for", { end: [TICKET, ...END12] }],
  ["CertificateRequest", { steps: before("ServerHelloDone", REQUEST) }],
  ["supported_groups in the ServerHello", adding(extension(10, vector16(u16(0x1d))))],
  ["no extensions but the one", { hello: (p) => ({ ...p, extensions: [extension(23, NOTHING)] }) }],
  ["a warning", { steps: [{ record: 21, body: Uint8Array.of(1, 112) }, ...FLIGHT12] }],
])("%s is let pass", (_title, script) => {
  const { client } = run(script);
  expect(client.fault).toBeUndefined();
  expect(client.state).toBe("open");
});

const TABLE: [string, string, Script12, Partial<Offer>?][] = [
  ["the mark of a downgrade from 1.3", "illegal_parameter", { hello: (p) => ({ ...p, random: sentinel(1) }) }, {}],
  ["the mark of a downgrade from 1.2", "illegal_parameter", { hello: (p) => ({ ...p, random: sentinel(0) }) }],
  ["a suite of TLS 1.3", "illegal_parameter", { hello: (p) => ({ ...p, suite: 0x1301 }) }],
  ["a CBC suite", "illegal_parameter", { hello: (p) => ({ ...p, suite: 0xc013 }) }],
  ["RSA key exchange", "illegal_parameter", { hello: (p) => ({ ...p, suite: 0x009c }) }],
  ["a suite for RSA with another key", "illegal_parameter", { hello: (p) => ({ ...p, suite: 0xc02f }) }],
  ["an extension not offered", "unsupported_extension", adding(extension(35, NOTHING))],
  ["a key share", "unsupported_extension", adding(extension(51, NOTHING))],
  [
    "renegotiation info of another handshake",
    "handshake_failure",
    {
      hello: (p) => ({ ...p, extensions: [extension(0xff01, vector8(u8(1)))] }),
    },
  ],
  ["compressed points only", "illegal_parameter", adding(extension(11, vector8(u8(1))))],
  ["another protocol", "illegal_parameter", adding(extension(16, vector16(vector8(new TextEncoder().encode("h2")))))],
  ["compression", "illegal_parameter", { hello: (p) => ({ ...p, compression: 1 }) }],
  ["no Certificate", "unexpected_message", { steps: without("Certificate") }],
  ["an empty Certificate", "decode_error", { edits: { Certificate: () => vector24(NOTHING) } }],
  ["no ServerKeyExchange", "unexpected_message", { steps: without("ServerKeyExchange") }],
  ["Certificate twice", "unexpected_message", { steps: before("ServerKeyExchange", "Certificate") }],
  ["CertificateRequest twice", "unexpected_message", { steps: before("ServerHelloDone", REQUEST, REQUEST) }],
  ["CertificateRequest too early", "unexpected_message", { steps: before("ServerKeyExchange", REQUEST) }],
  [
    "CertificateStatus not asked for",
    "unexpected_message",
    { steps: before("ServerKeyExchange", { type: 22, body: NOTHING }) },
  ],
  ["a wrong signature", "decrypt_error", { edits: { ServerKeyExchange: flipLast } }],
  [
    "another key than the signed one",
    "decrypt_error",
    {
      edits: { ServerKeyExchange: (body) => new Uint8Array(body.with(10, (body[10] ?? 0) ^ 1)) },
    },
  ],
  ["a scheme not offered", "illegal_parameter", { scheme: 0x0203 }],
  ["a scheme for another kind of key", "illegal_parameter", { scheme: 0x0401 }],
  [
    "a curve without a name",
    "illegal_parameter",
    { edits: { ServerKeyExchange: (body) => new Uint8Array(body.with(0, 1)) } },
  ],
  [
    "a curve not offered",
    "illegal_parameter",
    { edits: { ServerKeyExchange: (body) => new Uint8Array(body.with(2, 0x1e)) } },
  ],
  ["ServerHelloDone with content", "decode_error", { edits: { ServerHelloDone: () => u8(0) } }],
  ["keys changed too early", "unexpected_message", { steps: before("ServerKeyExchange", CHANGE) }],
  ["keys changed before the ServerHello", "unexpected_message", { steps: [CHANGE, ...FLIGHT12] }],
  ["Finished without a change of keys", "unexpected_message", { end: ["Finished"] }],
  ["keys changed twice", "unexpected_message", { end: [CHANGE, CHANGE] }],
  [
    "application data in the clear",
    "unexpected_message",
    { steps: before("Certificate", { record: 23, body: u8(1) }) },
  ],
  ["application data before Finished", "unexpected_message", { end: [CHANGE, { record: 23, body: u8(1) }] }],
  ["a wrong Finished", "decrypt_error", { edits: { Finished: flipLast } }],
  ["a long Finished", "decrypt_error", { edits: { Finished: (body) => concat(body, u8(0)) } }],
  ["HelloRequests without end", "unexpected_message", { steps: Array.from({ length: 80 }, () => HELLO_REQUEST) }],
];

describe("a server of TLS 1.2 that breaks the rules", () => {
  test.each(TABLE)("%s: %s", (_title, alert, script, offer = ONLY_12) => {
    const { client, server, send } = run(script, offer);
    expect(client.fault?.message).toContain(`(${alert})`);
    expect(client.fault?.reason).toBe("TLSProtocolError");
    expect(alertIn(server.reads, send)).toBe(alert);
  });
});

describe("after the handshake", () => {
  test("a wish to renegotiate is declined", () => {
    const { client, server } = run({});
    expect(alertIn(server.reads, client.receive(server.send(HELLO_REQUEST)).send)).toBe("no_renegotiation");
    expect(client.state).toBe("open");
  });

  test.each<[string, Step12]>([
    ["a ServerHello", "ServerHello"],
    ["a change of keys", { record: 20, body: u8(1) }],
    ["a KeyUpdate", { type: 24, body: u8(0) }],
  ])("%s is refused", (_title, step) => {
    const { client, server } = run({});
    expect(alertIn(server.reads, client.receive(server.send(step)).send)).toBe("unexpected_message");
    expect(client.state).toBe("failed");
  });
});

test.each([
  [0x0300, "SSL 3.0"],
  [0x0301, "TLS 1.0"],
  [0x0302, "TLS 1.1"],
])("version 0x0%s, %s, is too old", (version, name) => {
  for (const offer of [ONLY_12, {}]) {
    const { client, server, send } = run(
      { hello: (parts) => ({ ...parts, version, suite: 0xc013, extensions: [] }) },
      offer,
    );
    expect(client.fault?.reason).toBe("TLSVersionUnsupported");
    expect(client.fault?.message).toContain(`The server speaks ${name}`);
    expect(alertIn(server.reads, send)).toBe("protocol_version");
  }
});

test("a session that there never was is not resumed", () => {
  const client = new TlsClient({ serverName: "server", allowInsecureCertificate: false, verify: trustScript });
  const start = client.start();
  const server = new ScriptedServer12(start, { hello: (parts) => ({ ...parts, sessionId: server.hello.sessionId }) });
  client.receive(server.flight());
  expect(client.fault?.message).toMatch(/resumes a session/);
});
