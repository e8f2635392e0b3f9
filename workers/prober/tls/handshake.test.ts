import { X509Certificate } from "node:crypto";
import { describe, expect, inject, test } from "vitest";
import { dialWorkerd, pump } from "../../../test/support/tls-pump.ts";
import { TlsClient } from "./client.ts";
import { DEFAULT_OFFER } from "./offer.ts";
import { SUITES } from "./parameters.ts";
import type { TlsOptions } from "./session.ts";

/** Trusts every certificate that can be read. */
const trusting = (extra: Partial<TlsOptions> = {}): TlsOptions => ({
  serverName: "gateway.test",
  allowInsecureCertificate: false,
  verify: (chain) => {
    const leaf = new X509Certificate(chain[0]!);
    return { leaf: { publicKey: leaf.publicKey, notAfter: Date.parse(leaf.validTo) } };
  },
  ...extra,
});

const request = "GET / HTTP/1.1\r\nHost: gateway.test\r\nConnection: close\r\n\r\n";
const KINDS = ["rsa", "p256", "p384", "p521", "ed25519"] as const;
const { node, special, openssl } = inject("tlsPeers");

async function ask(port: number, options: Partial<TlsOptions> = {}, chunk?: number) {
  const client = new TlsClient(trusting(options));
  const text = await pump(client, await dialWorkerd(port), { request, ...(chunk && { chunk }) });
  return { client, text };
}

async function expectHello(port: number, options: Partial<TlsOptions> = {}, chunk?: number) {
  const { client, text } = await ask(port, options, chunk);
  expect(client.fault).toBeUndefined();
  expect(text).toMatch(/hello|s_server/);
  return client.info;
}

describe.each(["TLSv1.3", "TLSv1.2"] as const)("%s with Node", (version) => {
  const versions = [version];
  test.each(KINDS)("a certificate with a key of kind %s", async (kind) => {
    const info = await expectHello(node[kind], { offer: { versions } });
    expect(info).toMatchObject({ version, notAfter: expect.any(Number) });
  });

  test.each(SUITES.filter((suite) => suite.version === version))("$name alone", async (suite) => {
    const port = suite.name.includes("ECDSA") ? node.p256 : node.rsa;
    const info = await expectHello(port, { offer: { versions, suites: [suite.name] } });
    expect(info).toMatchObject({ version, cipherSuite: suite.name });
  });

  test.each(DEFAULT_OFFER.groups)("group %s alone", async (group) => {
    await expectHello(node.rsa, { offer: { versions, groups: [group], keyShares: [group] } });
  });

  test.each(DEFAULT_OFFER.signatureSchemes)("signature scheme %s alone", async (scheme) => {
    if (version === "TLSv1.3" && scheme.includes("pkcs1")) return;
    const kind =
      KINDS.find((each) => scheme.includes(each.replace("p", "secp"))) ?? (scheme === "ed25519" ? scheme : "rsa");
    await expectHello(node[kind], { offer: { versions, signatureSchemes: [scheme] } });
  });

  test("a byte at a time", async () => {
    await expectHello(node.rsa, { offer: { versions } }, 1);
  });

  test("an empty certificate for one that is asked for", async () => {
    await expectHello(special.clientCertificate, { offer: { versions } });
  });

  test("one that is required ends in an alert", async () => {
    const { client } = await ask(special.clientCertificateRequired, { offer: { versions } });
    expect(client.fault?.reason).toBe("TLSAlert");
    expect(client.fault?.message).toMatch(/client certificate/);
  });
});

test("the newest version is chosen", async () => {
  expect(await expectHello(node.rsa)).toMatchObject({ version: "TLSv1.3" });
});

test("HelloRetryRequest for P-384", async () => {
  expect(await expectHello(special.p384Group)).toMatchObject({ version: "TLSv1.3" });
});

test("TLS 1.2 where the server knows no other", async () => {
  expect(await expectHello(special.tls12)).toMatchObject({ version: "TLSv1.2" });
});

test("a server of TLS 1.1 and older", async () => {
  const { client } = await ask(special.old);
  expect(client.fault?.reason).toBe("TLSVersionUnsupported");
});

test("nothing in common", async () => {
  const { client } = await ask(special.cbcOnly);
  expect(client.fault).toMatchObject({
    reason: "TLSAlert",
    message: expect.stringContaining("handshake_failure: it shares no"),
  });
});

test("a server that speaks another protocol", async () => {
  const { client } = await ask(special.otherProtocol);
  expect(client.fault).toMatchObject({
    reason: "TLSAlert",
    message: expect.stringContaining("no_application_protocol"),
  });
});

test("no TLS at all", async () => {
  const client = new TlsClient(trusting());
  client.start();
  client.receive(new TextEncoder().encode("HTTP/1.1 400 Bad Request\r\n"));
  expect(client.fault).toMatchObject({ reason: "TLSProtocolError", message: expect.stringContaining("HTTP/1.1 400") });
});

describe.skipIf(!openssl)("openssl s_server", () => {
  test.each(Object.entries(openssl ?? {}))("%s", async (_name, port) => {
    await expectHello(port);
    await expectHello(port, { offer: { extendedMasterSecret: false } });
  });
});
