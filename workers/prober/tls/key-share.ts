import type { KeyObject } from "node:crypto";
import { createECDH, createPrivateKey, createPublicKey, diffieHellman, generateKeyPairSync } from "node:crypto";
import { concat } from "./bytes.ts";
import type { GroupName } from "./parameters.ts";
import { refuse } from "./tls-error.ts";

/** One side of a key exchange (RFC 8446 §4.2.8). */
export interface KeyShare {
  group: GroupName;
  /** As it goes over the wire: 32 bytes, or an uncompressed point. */
  publicKey: Uint8Array;
  /** The shared secret with the peer's share, or a refusal. */
  agree(peer: Uint8Array): Uint8Array;
}

const CURVES = { secp256r1: "prime256v1", secp384r1: "secp384r1", secp521r1: "secp521r1" } as const;
const PRIVATE_LENGTH = { x25519: 32, secp256r1: 32, secp384r1: 48, secp521r1: 66 } as const;

/** @param randomBytes where private keys come from in place of the runtime's own generator */
export function makeKeyShare(group: GroupName, randomBytes?: (length: number) => Uint8Array): KeyShare {
  const secret = randomBytes?.(PRIVATE_LENGTH[group]);
  return group === "x25519" ? x25519(secret) : point(group, secret);
}

function point(group: keyof typeof CURVES, secret: Uint8Array | undefined): KeyShare {
  const own = createECDH(CURVES[group]);
  if (secret) own.setPrivateKey(secret);
  else own.generateKeys();
  const publicKey = new Uint8Array(own.getPublicKey());
  return {
    group,
    publicKey,
    agree(peer) {
      // Compressed points are not allowed (RFC 8446 §4.2.8.2, RFC 8422 §5.11).
      if (peer.length !== publicKey.length || peer[0] !== 4)
        refuse("illegal_parameter", `its ${group} key share is not a point`);
      return attempt(group, () => own.computeSecret(peer));
    },
  };
}

/** DER around the 32 bytes of a key, RFC 8410. */
const SPKI_X25519 = Buffer.from("302a300506032b656e032100", "hex");
const PKCS8_X25519 = Buffer.from("302e020100300506032b656e04220420", "hex");

const importX25519 = (raw: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([SPKI_X25519, raw]), format: "der", type: "spki" });

function x25519(secret: Uint8Array | undefined): KeyShare {
  const own = secret ? pairOf(secret) : generateKeyPairSync("x25519");
  return {
    group: "x25519",
    publicKey: new Uint8Array(own.publicKey.export({ format: "der", type: "spki" })).subarray(SPKI_X25519.length),
    agree(peer) {
      if (peer.length !== 32) refuse("illegal_parameter", "its x25519 key share is not 32 bytes long");
      return attempt("x25519", () => agreeX25519(own, importX25519(peer)));
    },
  };
}

function pairOf(secret: Uint8Array): { publicKey: KeyObject; privateKey: KeyObject } {
  const privateKey = createPrivateKey({ key: Buffer.from(concat(PKCS8_X25519, secret)), format: "der", type: "pkcs8" });
  return { privateKey, publicKey: createPublicKey(privateKey as never) };
}

let swapped: boolean | undefined;

/** Whether the runtime has the fault that `agreeX25519` goes round. */
export function hasSwappedKeys(): boolean {
  swapped ??= isSwapped();
  return swapped;
}

/**
 * workerd passes the two keys to its library in the wrong order. So only a "public" key that still has its private half works. An
 * imported key has not. There the keys are given swapped, our own (with both halves) as the public one. Which way is right is
 * tried once, with keys of our own: a later workerd and Node take them as documented.
 */
function agreeX25519(own: { publicKey: KeyObject; privateKey: KeyObject }, peer: KeyObject): Uint8Array {
  if (!hasSwappedKeys()) return diffieHellman({ privateKey: own.privateKey, publicKey: peer });
  Object.defineProperty(peer, "type", { value: "private" });
  return diffieHellman({ privateKey: peer, publicKey: own.publicKey });
}

function isSwapped(): boolean {
  const own = generateKeyPairSync("x25519");
  const spki = generateKeyPairSync("x25519").publicKey.export({ format: "der", type: "spki" });
  try {
    diffieHellman({
      privateKey: own.privateKey,
      publicKey: createPublicKey({ key: spki, format: "der", type: "spki" }),
    });
    return false;
  } catch {
    return true;
  }
}

/** The runtime refuses points off the curve and, for x25519, an all-zero secret (RFC 8446 §7.4.2). */
function attempt(group: GroupName, agree: () => Uint8Array): Uint8Array {
  try {
    const secret = agree();
    if (secret.some((byte) => byte !== 0)) return secret;
  } catch {
    // Any failure is the peer's: only the peer's share varies.
  }
  return refuse("illegal_parameter", `its ${group} key share is no valid key`);
}
