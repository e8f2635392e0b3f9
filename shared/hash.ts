import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** 16 hexadecimal digits that change with the text: for comparing, not for secrets. */
export function digest(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text))).slice(0, 16);
}

/** The text as a whole number from 0 to 2³² − 1, evenly spread: for places and phases. */
export function hash32(text: string): number {
  return Number.parseInt(digest(text).slice(0, 8), 16);
}
