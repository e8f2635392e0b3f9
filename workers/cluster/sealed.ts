import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { z } from "zod";
import type { Sealed, SealedHeaders } from "../../shared/model/probe.ts";
import type { Settings } from "../settings.ts";

type Headers = Readonly<Record<string, string>>;
export type HeaderKeys = Pick<
  Settings,
  "HEADER_KEY" | "HEADER_KEY_ID" | "HEADER_KEY_PREVIOUS" | "HEADER_KEY_PREVIOUS_ID"
>;

const IV_BYTES = 12;
/** The label from which the digest's own key is derived. */
const DIGEST_KEY_NAME = "vedette header digest";

/**
 * Seals header secrets: AES-GCM over the JSON of the headers, 12-byte iv, empty additional data, all in base64, with
 * the id of the key. Unchanged headers keep their digest, so that a key rotation restarts no count. They keep the same
 * blob while the key is the same. Undefined if the Worker has no key.
 */
export async function sealHeaders(
  headers: Headers,
  held: SealedHeaders | undefined,
  keys: HeaderKeys,
): Promise<SealedHeaders | undefined> {
  if (keys.HEADER_KEY === undefined) return undefined;
  const json = JSON.stringify(Object.fromEntries(Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1))));
  const digest = keyedDigest(json, keys.HEADER_KEY);
  const isHeld = held !== undefined && (held.digest === digest || (await open(held.sealed, keys)) === json);
  if (isHeld && held.sealed.keyId === keys.HEADER_KEY_ID) return held;
  return { sealed: await seal(json, keys.HEADER_KEY_ID, keys.HEADER_KEY), digest: isHeld ? held.digest : digest };
}

/** Seals the webhook secrets of a cluster for an export, bound to its name. Undefined if the Worker has no key. */
export async function sealSecrets(
  cluster: string,
  secrets: readonly string[],
  keys: HeaderKeys,
): Promise<Sealed | undefined> {
  if (keys.HEADER_KEY === undefined) return undefined;
  return seal(JSON.stringify(secrets), keys.HEADER_KEY_ID, keys.HEADER_KEY, secretsOf(cluster));
}

/**
 * Opens the webhook secrets that were sealed for this cluster. Undefined if the key is gone, or if they belong to
 * another cluster.
 */
export async function openSecrets(cluster: string, sealed: Sealed, keys: HeaderKeys): Promise<string[] | undefined> {
  const json = await open(sealed, keys, secretsOf(cluster));
  return json === undefined ? undefined : webhookSecrets.parse(JSON.parse(json));
}

const secretsOf = (cluster: string) => `vedette webhook secrets of ${cluster}`;
const webhookSecrets = z.array(z.string()).min(1).max(2);

async function seal(json: string, keyId: string, key: string, boundTo = ""): Promise<Sealed> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const cryptoKey = await crypto.subtle.importKey("raw", fromBase64(key), "AES-GCM", false, ["encrypt"]);
  const sealed = await crypto.subtle.encrypt(aesGcm(iv, boundTo), cryptoKey, utf8ToBytes(json));
  return { keyId, iv: toBase64(iv), ciphertext: toBase64(new Uint8Array(sealed)) };
}

/** Opens sealed JSON. Undefined if the key is gone. */
async function open(sealed: Sealed, keys: HeaderKeys, boundTo = ""): Promise<string | undefined> {
  const key = sealed.keyId === keys.HEADER_KEY_ID ? keys.HEADER_KEY : keys.HEADER_KEY_PREVIOUS;
  const isNamed = sealed.keyId === keys.HEADER_KEY_ID || sealed.keyId === keys.HEADER_KEY_PREVIOUS_ID;
  if (key === undefined || !isNamed) return undefined;
  try {
    const cryptoKey = await crypto.subtle.importKey("raw", fromBase64(key), "AES-GCM", false, ["decrypt"]);
    const algorithm = aesGcm(fromBase64(sealed.iv), boundTo);
    return new TextDecoder().decode(await crypto.subtle.decrypt(algorithm, cryptoKey, fromBase64(sealed.ciphertext)));
  } catch {
    return undefined;
  }
}

/** No additional data equals empty data, so blobs that were sealed without it still open. */
const aesGcm = (iv: Uint8Array<ArrayBuffer>, boundTo: string) => ({
  name: "AES-GCM",
  iv,
  additionalData: utf8ToBytes(boundTo),
});

function keyedDigest(json: string, key: string): string {
  const digestKey = hmac(sha256, fromBase64(key), utf8ToBytes(DIGEST_KEY_NAME));
  return bytesToHex(hmac(sha256, digestKey, utf8ToBytes(json))).slice(0, 32);
}

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));
const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
