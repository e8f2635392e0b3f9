import { createPrivateKey, sign } from "node:crypto";
import { children, readDer, TAG } from "../../workers/prober/tls/verify/der.ts";
import { CA, HOST, server } from "../certificates/family.ts";
import { ecKey, type Issued, issue, rsaKey } from "../certificates/issue.ts";
import { derOf } from "./der.ts";

export const KEYS = ["RSA", "ECDSA"] as const;
export type KeyKind = (typeof KEYS)[number];

/** Chains that one server may show in turn, leaf and intermediate as most sites send them, and the root to trust. PEM. */
export interface Chains {
  root: string;
  certificates: string[];
  key: string;
}

/** RSA of 2048 bits, or P-256, from the leaf up to the root. The chains differ in serial numbers and signatures. */
export async function makeChains(kind: KeyKind, count: number): Promise<Chains> {
  const key = () => (kind === "RSA" ? rsaKey() : ecKey());
  const root = await issue({ subject: `/CN=${kind} root`, extensions: CA, key: key() });
  const authority = { subject: `/CN=${kind} intermediate`, extensions: CA, issuer: root, key: key() };
  const intermediate = await issue(authority);
  const names = { subject: `/CN=${HOST}`, extensions: server(`DNS:${HOST}`) };
  const leaf = await issue({ ...names, issuer: intermediate, key: key() });
  const certificates = Array.from(
    { length: count },
    (_, serial) => again(leaf, intermediate, serial) + again(intermediate, root, serial),
  );
  return { root: root.certificate, certificates, key: leaf.key };
}

/** The same certificate with another serial number. */
function again({ certificate }: Issued, issuer: Issued, serial: number): string {
  const [signed, algorithm] = children(readDer(derOf(certificate)[0] ?? new Uint8Array(), TAG.sequence));
  const number = children(signed!)[1]!.raw;
  const changed = Buffer.from(signed!.raw);
  changed.writeUInt16BE(serial, changed.indexOf(number) + number.length - 2);
  const signature = sign("sha256", changed, createPrivateKey(issuer.key));
  const der = tagged(TAG.sequence, changed, algorithm!.raw, tagged(TAG.bitString, Uint8Array.of(0), signature));
  return `-----BEGIN CERTIFICATE-----\n${der.toString("base64")}\n-----END CERTIFICATE-----\n`;
}

function tagged(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
