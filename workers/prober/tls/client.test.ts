import { describe, expect, test } from "vitest";
import { alertIn, extension, readHello, trustScript } from "../../../test/support/tls-script.ts";
import { FLIGHT13, type Script13, ScriptedServer13, type Step13 } from "../../../test/support/tls-script13.ts";
import { concat, u8, u16, vector8, vector16 } from "./bytes.ts";
import { TlsClient } from "./client.ts";
import type { TlsOptions } from "./session.ts";
import type { TlsFault } from "./tls-error.ts";

const NOTHING = new Uint8Array(0);
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function makeClient(options: Partial<TlsOptions> = {}): TlsClient {
  return new TlsClient({ serverName: "server", allowInsecureCertificate: false, verify: trustScript, ...options });
}

function run(script: Script13 = {}, options: Partial<TlsOptions> = {}) {
  const client = makeClient(options);
  const server = new ScriptedServer13(client.start(), script);
  const { send, data } = client.receive(server.flight());
  return { client, server, send, data };
}

const ahead = (name: string, ...steps: Step13[]) =>
  FLIGHT13.flatMap((each) => (each === name ? [...steps, each] : [each]));

describe("ClientHello", () => {
  const contentOf = (serverName: string) => text(makeClient({ serverName }).start());

  test("names the host, but never an address", () => {
    expect(contentOf("gateway.example")).toContain("gateway.example");
    expect(contentOf("gateway.example.")).not.toContain("gateway.example.");
    for (const address of ["192.0.2.1", "2001:db8::1", "[2001:db8::1]"]) {
      expect(contentOf(address)).not.toContain(address);
      expect(readHello(makeClient({ serverName: address }).start()).extensions.has(0)).toBe(false);
    }
  });

  test("asks for http/1.1 and sends two key shares", () => {
    expect(contentOf("gateway.example")).toContain("http/1.1");
    expect([...readHello(makeClient().start()).shares.keys()]).toEqual([0x1d, 0x17]);
  });

  test.each(["a.test", `${"a".repeat(60)}.${"b".repeat(60)}.test`, "192.0.2.1"])(
    "of %s is not of a length that some servers hang on",
    (name) => {
      for (const version of ["TLSv1.3", "TLSv1.2"] as const) {
        const { length } = makeClient({ serverName: name, offer: { versions: [version] } })
          .start()
          .subarray(5);
        expect(length < 256 || length >= 512).toBe(true);
      }
    },
  );

  test("is another each time", () => {
    expect(makeClient().start()).not.toEqual(makeClient().start());
  });
});

describe("what is let pass", () => {
  const ticket: Step13 = { type: 4, body: concat(new Uint8Array(8), vector8(u8(0)), vector16(u8(1)), u16(0)) };
  const change: Step13 = { record: 20, body: u8(1) };
  const request: Step13 = { type: 13, body: concat(vector8(NOTHING), vector16(extension(13, vector16(u16(0x0403))))) };

  test.each<[string, readonly Step13[]]>([
    ["ChangeCipherSpec before the ServerHello", [change, ...FLIGHT13]],
    ["CertificateRequest", ahead("Certificate", request)],
    ["tickets", [...FLIGHT13, ticket, ticket]],
    ["user_canceled", ahead("Certificate", { record: 21, body: Uint8Array.of(1, 90) })],
    ["supported_groups", FLIGHT13],
  ])("%s", (_title, steps) => {
    const { client } = run({
      steps,
      edits: { EncryptedExtensions: () => vector16(extension(10, vector16(u16(0x1d)))) },
    });
    expect(client.fault).toBeUndefined();
    expect(client.state).toBe("open");
  });

  test("messages cut into records of one byte, and bytes that come one by one", () => {
    const client = makeClient();
    const server = new ScriptedServer13(client.start());
    for (const byte of server.flight()) client.receive(u8(byte));
    expect(client.state).toBe("open");
  });

  test("records of 16384 bytes and of none", () => {
    const full = new Uint8Array(16384).fill(65);
    const { client, data } = run({ steps: [...FLIGHT13, { record: 23, body: full }, { record: 23, body: NOTHING }] });
    expect(client.fault).toBeUndefined();
    expect(data).toEqual([full]);
  });
});

describe("records", () => {
  // Type 0 makes what follows the content padding, with the true type in it.
  const padded = (type: number, content: Uint8Array, zeros: number): Step13 => ({
    record: 0,
    body: concat(content, u8(type), new Uint8Array(zeros)),
  });

  test.each([0, 1, 1000, 16382])("padding of %s bytes is taken off", (zeros) => {
    const { client, data } = run({ steps: [...FLIGHT13, padded(23, u8(65), zeros)] });
    expect(client.fault).toBeUndefined();
    expect(data).toEqual([u8(65)]);
  });

  test.each<[string, string, Step13 | Uint8Array]>([
    ["too much padding", "record_overflow", padded(23, u8(65), 16384)],
    ["nothing but padding", "unexpected_message", { record: 0, body: new Uint8Array(9) }],
    ["content of 16385 bytes", "record_overflow", { record: 23, body: new Uint8Array(16385) }],
    ["a length beyond the limit", "record_overflow", Uint8Array.of(23, 3, 3, 0x41, 1)],
    ["a record too short", "bad_record_mac", Uint8Array.of(23, 3, 3, 0, 1, 0)],
    ["a record that does not decrypt", "bad_record_mac", concat(Uint8Array.of(23, 3, 3, 0, 40), new Uint8Array(40))],
    ["another version in the header", "illegal_parameter", Uint8Array.of(23, 3, 1, 0, 1, 0)],
    ["another protocol", "unexpected_message", Uint8Array.of(23, 2, 3, 0, 1, 0)],
    ["an unknown type", "unexpected_message", Uint8Array.of(99, 3, 3, 0, 1, 0)],
  ])("%s: %s", (_title, alert, step) => {
    const { client, server } = run();
    server.readApplication();
    const { send } = client.receive(step instanceof Uint8Array ? step : server.send(step));
    expect(client.fault?.message).toContain(`(${alert})`);
    expect(alertIn(server.reads, send)).toBe(alert);
  });

  test("a plain length beyond the limit", () => {
    const client = makeClient();
    client.start();
    expect(client.receive(Uint8Array.of(22, 3, 3, 0x40, 1)).send).toEqual(Uint8Array.of(21, 3, 3, 0, 2, 2, 22));
  });
});

describe("keys that change", () => {
  test.each([0, 1])("KeyUpdate that asks for %s", (asks) => {
    const { client, server, send } = run();
    server.reads.feed(send);
    while (server.reads.next());
    const { send: answer } = client.receive(server.send({ type: 24, body: u8(asks) }));
    expect(client.fault).toBeUndefined();
    expect(answer.length).toBe(asks === 0 ? 0 : 5 + 5 + 1 + 16);
    // The server's old key serves no more.
    client.receive(server.send({ record: 23, body: u8(65) }));
    expect(client.fault?.message).toMatch(/bad_record_mac/);
  });
});

describe("alerts", () => {
  test("close_notify closes, and what comes later is not read", () => {
    const { client, server } = run();
    client.receive(server.send({ record: 21, body: Uint8Array.of(1, 0) }));
    expect(client.state).toBe("closed");
    expect(client.receive(server.send({ record: 23, body: u8(65) }))).toEqual({ send: NOTHING, data: [] });
    expect(client.fault).toBeUndefined();
    expect(() => client.encrypt(u8(1))).toThrow(/closed/);
  });

  test.each([
    [0, "TLSAlert", /close_notify.*middle of the handshake/],
    [40, "TLSAlert", /handshake_failure: it shares no cipher suite/],
    [70, "TLSVersionUnsupported", /protocol_version: it speaks neither/],
    [112, "TLSAlert", /unrecognized_name.*host/],
    [116, "TLSAlert", /certificate_required: it wants a client certificate/],
    [200, "TLSAlert", /alert 200$/],
  ] as const)("%s in the handshake", (code, reason, message) => {
    const { client, send } = run({ steps: [{ record: 21, body: Uint8Array.of(2, code) }] });
    expect(client.fault).toMatchObject({ reason, message: expect.stringMatching(message) });
    expect(send).toEqual(NOTHING);
  });

  test("one in the clear after the keys were agreed", () => {
    const { client } = run({ steps: ["ServerHello"] });
    client.receive(Uint8Array.of(21, 3, 3, 0, 2, 2, 80));
    expect(client.fault).toMatchObject({ reason: "TLSAlert", message: expect.stringContaining("internal_error") });
  });

  test("in the clear do not close what is open: anybody can send them", () => {
    const { client } = run();
    client.receive(Uint8Array.of(21, 3, 3, 0, 2, 1, 0));
    expect(client.state).toBe("failed");
    expect(client.fault?.message).toMatch(/unencrypted records/);
  });

  test("those sent are encrypted as soon as may be", () => {
    const { client, server, send } = run({ steps: ["ServerHello", "Finished"] });
    expect(client.state).toBe("failed");
    expect(send[0]).toBe(23);
    expect(alertIn(server.reads, send)).toBe("unexpected_message");
  });
});

describe("a certificate that is at fault", () => {
  const fault: TlsFault = { reason: "CertificateExpired", message: "The certificate ran out on 2026-01-01" };
  const verify = () => ({ ...trustScript(), fault, expiresAt: 1 });

  test("is refused, and what is known of it is told", () => {
    const { client, server, send } = run({}, { verify });
    expect(client.state).toBe("failed");
    expect(client.fault).toEqual(fault);
    expect(client.info).toEqual({
      version: "TLSv1.3",
      cipherSuite: "TLS_AES_128_GCM_SHA256",
      notAfter: 0,
      expiresAt: 1,
    });
    expect(alertIn(server.reads, send)).toBe("certificate_expired");
  });

  test("passes where that is allowed, and the fault is noted", () => {
    const { client } = run({}, { verify, allowInsecureCertificate: true });
    expect(client.state).toBe("open");
    expect(client.fault).toBeUndefined();
    expect(client.info?.skipped).toEqual(fault);
  });

  test("but not without the signature of its key", () => {
    for (const edits of [
      { CertificateVerify: () => concat(u16(0x0403), vector16(u8(0))) },
      { Finished: () => new Uint8Array(32) },
    ]) {
      const { client } = run({ edits }, { verify, allowInsecureCertificate: true });
      expect(client.fault).toMatchObject({
        reason: "TLSProtocolError",
        message: expect.stringContaining("decrypt_error"),
      });
    }
  });

  test("nor where its key cannot be read", () => {
    const { client } = run({}, { verify: () => ({ fault }), allowInsecureCertificate: true });
    expect(client.fault).toEqual({ reason: "CertificateInvalid", message: fault.message });
  });

  test("and a verification that fails itself is our own trouble, and no crash", () => {
    const client = run(
      {},
      {
        verify: () => {
          throw new Error("broken");
        },
      },
    ).client;
    expect(client.fault?.reason).toBe("InternalError");
  });
});
