import { constants, createSign, generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, test } from "vitest";
import { DEFAULT_OFFER } from "./offer.ts";
import { checkSignature, leafKey } from "./signature.ts";

const content = new TextEncoder().encode("what is signed");
const offered = DEFAULT_OFFER.signatureSchemes;

describe("RSA", () => {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = leafKey(publicKey);
  const pem = privateKey.export({ format: "pem", type: "pkcs8" }) as string;
  const signed = (hash: string, padding: number, saltLength?: number) =>
    new Uint8Array(
      createSign(hash)
        .update(content)
        .sign({ key: pem, padding, ...(saltLength && { saltLength }) }),
    );
  const PKCS1 = constants.RSA_PKCS1_PADDING;
  const PSS = constants.RSA_PKCS1_PSS_PADDING;

  test.each([
    [0x0401, "sha256", PKCS1, undefined],
    [0x0601, "sha512", PKCS1, undefined],
    [0x0804, "sha256", PSS, 32],
    [0x0805, "sha384", PSS, 48],
    [0x0806, "sha512", PSS, 64],
  ] as const)("0x0%s with %s", (scheme, hash, padding, saltLength) => {
    const signature = signed(hash, padding, saltLength);
    checkSignature(key, { scheme, content, signature }, offered, "TLSv1.2");
    const changed = { scheme, content: content.subarray(1), signature };
    expect(() => checkSignature(key, changed, offered, "TLSv1.2")).toThrow(/decrypt_error/);
  });

  test.each([
    ["PKCS #1 as PSS", 0x0804, "sha256", PKCS1, undefined],
    ["PSS as PKCS #1", 0x0401, "sha256", PSS, 32],
    ["another hash", 0x0804, "sha384", PSS, 32],
    ["salt of another length", 0x0804, "sha256", PSS, 20],
  ] as const)("%s does not pass", (_title, scheme, hash, padding, saltLength) => {
    const signature = signed(hash, padding, saltLength);
    expect(() => checkSignature(key, { scheme, content, signature }, offered, "TLSv1.2")).toThrow(/decrypt_error/);
  });

  test("PKCS #1 is no scheme of TLS 1.3", () => {
    const signature = signed("sha256", PKCS1);
    expect(() => checkSignature(key, { scheme: 0x0401, content, signature }, offered, "TLSv1.3")).toThrow(/forbids/);
  });
});

describe("ECDSA", () => {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = leafKey(publicKey);
  const signature = new Uint8Array(createSign("sha384").update(content).sign(privateKey));

  test("with the hash of another curve passes in TLS 1.2 only", () => {
    checkSignature(key, { scheme: 0x0503, content, signature }, offered, "TLSv1.2");
    expect(() => checkSignature(key, { scheme: 0x0503, content, signature }, offered, "TLSv1.3")).toThrow(
      /on prime256v1/,
    );
  });

  test("of no form at all does not pass", () => {
    for (const bad of [new Uint8Array(0), new Uint8Array(70), signature.subarray(1), Uint8Array.of(0x30, 0x80)]) {
      expect(() => checkSignature(key, { scheme: 0x0503, content, signature: bad }, offered, "TLSv1.2")).toThrow(
        /decrypt_error/,
      );
    }
  });
});

test("Ed25519", () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const key = leafKey(publicKey);
  const signature = new Uint8Array(sign(null, content, privateKey));
  checkSignature(key, { scheme: 0x0807, content, signature }, offered, "TLSv1.3");
  const bad = new Uint8Array(signature.with(9, (signature[9] ?? 0) ^ 1));
  expect(() => checkSignature(key, { scheme: 0x0807, content, signature: bad }, offered, "TLSv1.3")).toThrow(
    /decrypt_error/,
  );
  expect(() => checkSignature(key, { scheme: 0x0403, content, signature }, offered, "TLSv1.3")).toThrow(
    /illegal_parameter/,
  );
});

test("a scheme that was not offered is not taken", () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const signed = { scheme: 0x0807, content, signature: new Uint8Array(sign(null, content, privateKey)) };
  expect(() => checkSignature(leafKey(publicKey), signed, ["rsa_pss_rsae_sha256"], "TLSv1.3")).toThrow(/not offered/);
});
