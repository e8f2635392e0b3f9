import { digest } from "../../shared/hash.ts";
import { MANAGED_BY_US } from "./ours.ts";

const RECORD_LABEL = "vedette.dev/record";

const MAX_LABEL_CHARACTERS = 63;
const HASH_CHARACTERS = 8;

/** The labels of what belongs to a record: ours, and whose. */
export function labelsOf(recordName: string): Record<string, string> {
  const isShort = recordName.length <= MAX_LABEL_CHARACTERS;
  return { ...MANAGED_BY_US, [RECORD_LABEL]: isShort ? recordName : hashed(recordName, MAX_LABEL_CHARACTERS) };
}

/** A text of a name's characters cut to a length, with a hash of `identity` in place of what was cut. */
export function hashed(text: string, maxCharacters: number, identity = text): string {
  const kept = text.slice(0, maxCharacters - HASH_CHARACTERS - 1).replace(/[-.]+$/, "");
  return `${kept}-${digest(identity).slice(0, HASH_CHARACTERS)}`;
}
