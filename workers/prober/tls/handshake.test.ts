import { X509Certificate } from "node:crypto";
import { expect, inject, test } from "vitest";
import { dialWorkerd, pump } from "../../../test/support/tls-pump.ts";
import { TlsClient } from "./client.ts";
import type { TlsOptions } from "./options.ts";

const trusting = (extra: Partial<TlsOptions> = {}): TlsOptions => ({
  serverName: "gateway.test",
  allowInsecureCertificate: false,
  verify: (chain) => {
    const leaf = new X509Certificate(chain[0]!);
    const publicKey = leaf.publicKey.export({ format: "der", type: "spki" });
    return { leaf: { publicKey: new Uint8Array(publicKey), notAfter: Date.parse(leaf.validTo) } };
  },
  ...extra,
});

const REQUEST = "GET / HTTP/1.1\r\nHost: gateway.test\r\nConnection: close\r\n\r\n";

test.for(["rsa", "p256", "p384", "p521", "ed25519"] as const)("TLS 1.3 with Node, %s", async (kind) => {
  const client = new TlsClient(trusting());
  const text = await pump(client, await dialWorkerd(inject("tlsPeers").node[kind]), { request: REQUEST });
  expect(client.fault).toBeUndefined();
  expect(text).toContain("hello");
  expect(client.info).toMatchObject({ version: "TLSv1.3" });
});
