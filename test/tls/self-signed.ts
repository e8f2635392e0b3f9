import type { KeyObject } from "node:crypto";
import { createHash, generateKeyPairSync, sign } from "node:crypto";

export type KeyKind = "rsa" | "p256" | "p384" | "p521" | "ed25519";

export interface Identity {
  /** PEM. */
  cert: string;
  key: string;
}

const der = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
const bits = (content: Uint8Array) => der(0x03, Buffer.from([0]), content);
const time = (at: Date) => der(0x17, Buffer.from(`${at.toISOString().replace(/^..|[-:T]|\.\d+/g, "")}`));

const SIGNATURE = {
  rsa: sequence(oid("2a864886f70d01010b"), der(0x05)),
  p256: sequence(oid("2a8648ce3d040302")),
  p384: sequence(oid("2a8648ce3d040303")),
  p521: sequence(oid("2a8648ce3d040304")),
  ed25519: sequence(oid("2b6570")),
};
const HASH = { rsa: "sha256", p256: "sha256", p384: "sha384", p521: "sha512", ed25519: null };

function keyPair(kind: KeyKind): { publicKey: KeyObject; privateKey: KeyObject } {
  if (kind === "rsa") return generateKeyPairSync("rsa", { modulusLength: 2048 });
  if (kind === "ed25519") return generateKeyPairSync("ed25519");
  return generateKeyPairSync("ec", { namedCurve: kind.replace("p", "P-") });
}

/** A certificate that its own key has signed, good for a day, for tests of handshakes (not of verification). */
export function selfSigned(kind: KeyKind, host = "gateway.test"): Identity {
  const { publicKey, privateKey } = keyPair(kind);
  const spki = publicKey.export({ format: "der", type: "spki" });
  const name = sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from(host)))));
  const san = sequence(oid("551d11"), der(0x04, sequence(der(0x82, Buffer.from(host)))));
  const serial = createHash("sha256").update(spki).digest().subarray(0, 8);
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1]), serial),
    SIGNATURE[kind],
    name,
    sequence(time(new Date(Date.now() - 3_600_000)), time(new Date(Date.now() + 86_400_000))),
    name,
    spki,
    der(0xa3, sequence(san)),
  );
  const certificate = sequence(body, SIGNATURE[kind], bits(sign(HASH[kind], body, privateKey)));
  const lines = certificate.toString("base64").replace(/.{64}/g, "$&\n");
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.trimEnd()}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ format: "pem", type: "pkcs8" }) as string,
  };
}
