import { createSign, generateKeyPairSync, type KeyObject } from "node:crypto";
import { concat, Reader, u8, u16, vector8, vector16, vector24 } from "../../workers/prober/tls/bytes.ts";
import { readBack, type SentHello } from "../../workers/prober/tls/client-hello.ts";
import { extension, readExtensions } from "../../workers/prober/tls/extensions.ts";
import { EXTENSION, HANDSHAKE } from "../../workers/prober/tls/parameters.ts";
import type { Records } from "../../workers/prober/tls/records.ts";
import { alertName } from "../../workers/prober/tls/tls-error.ts";
import type { CertificateVerdict } from "../../workers/prober/tls/verify/verifier.ts";

/** What a scripted server sends next: a message it makes itself, one that is given, or a record. */
export type Step<Name extends string> =
  | Name
  | { type: number; body: Uint8Array }
  | { record: number; body: Uint8Array };

/** How the messages a server makes are spoilt, by name. */
export type Edits<Name extends string> = Partial<Record<Name, (body: Uint8Array) => Uint8Array>>;

/** The key of the scripted servers. Their certificate is no certificate: the stand-in for verification knows the key. */
const P256 = generateKeyPairSync("ec", { namedCurve: "P-256" });
export const CERTIFICATE = new TextEncoder().encode("a certificate");

export const trustScript = (): CertificateVerdict => ({ leaf: { publicKey: P256.publicKey, notAfter: 0 } });

export const signScript = (content: Uint8Array, hash = "sha256", key: KeyObject = P256.privateKey): Uint8Array =>
  new Uint8Array(createSign(hash).update(content).sign(key));

export const handshake = (type: number, body: Uint8Array) => concat(u8(type), vector24(body));

export interface Hello extends SentHello {
  message: Uint8Array;
  /** By code of the group. */
  shares: Map<number, Uint8Array>;
}

/** Reads the bytes of a client's start(). */
export function readHello(start: Uint8Array): Hello {
  const message = start.subarray(5);
  const reader = new Reader(message.subarray(4 + 2 + 32), "ClientHello");
  reader.vector8();
  reader.vector16();
  reader.vector8();
  const content = readExtensions(reader.vector16(), "ClientHello").get(EXTENSION.keyShare);
  const shares = new Map<number, Uint8Array>();
  if (content) {
    const entries = new Reader(new Reader(content, "key_share").vector16(), "key_share");
    while (!entries.empty) shares.set(entries.u16(), entries.vector16());
  }
  return { ...readBack(message), message, shares };
}

export interface HelloParts {
  version?: number;
  random?: Uint8Array;
  sessionId: Uint8Array;
  suite: number;
  compression?: number;
  extensions: Uint8Array[];
}

export const SERVER_RANDOM = new Uint8Array(32).fill(7);

export function serverHello(parts: HelloParts): Uint8Array {
  return concat(
    u16(parts.version ?? 0x0303),
    parts.random ?? SERVER_RANDOM,
    vector8(parts.sessionId),
    u16(parts.suite),
    u8(parts.compression ?? 0),
    vector16(concat(...parts.extensions)),
  );
}

export { extension };

/** The name of the alert in what the client sent, decrypted with the keys that `records` reads with. */
export function alertIn(records: Records, sent: Uint8Array): string | undefined {
  records.feed(sent);
  let found: string | undefined;
  for (let content = records.next(); content; content = records.next()) {
    if (content.type === 21) found = alertName(content.body[1] ?? -1);
  }
  return found;
}

export const names = HANDSHAKE;
