import { digest } from "../../shared/hash.ts";
import { DNS_RECORD } from "./kinds.ts";
import { MANAGED_BY_US, type OwnerReference } from "./object.ts";

const RECORD_LABEL = "vedette.dev/record";

const MAX_LABEL_CHARACTERS = 63;
const HASH_CHARACTERS = 8;

/** The labels of an object that belongs to a record. */
export function recordLabels(recordName: string): Record<string, string> {
  const isShort = recordName.length <= MAX_LABEL_CHARACTERS;
  return { ...MANAGED_BY_US, [RECORD_LABEL]: isShort ? recordName : shortenWithHash(recordName, MAX_LABEL_CHARACTERS) };
}

/** Cuts a name to a length and ends it in a hash of `identity`, so that cut names stay distinct. */
export function shortenWithHash(text: string, maxCharacters: number, identity = text): string {
  const kept = text.slice(0, maxCharacters - HASH_CHARACTERS - 1).replace(/[-.]+$/, "");
  return `${kept}-${digest(identity).slice(0, HASH_CHARACTERS)}`;
}

const MAX_NAME_CHARACTERS = 253;

/**
 * The name of the probe object of a leaf. It is `<record>-<leaf>` if that is a legal and unambiguous name, else it ends
 * in a hash. A name without a hash ends in a leaf that has a dot and no hyphen; a name with a hash does not.
 */
export function probeName(recordName: string, leaf: string): string {
  const readable = `${recordName}-${leaf.replaceAll(":", "-")}`;
  const isClear = /^[a-z0-9.]*\.[a-z0-9.]*$/.test(leaf) && readable.length <= MAX_NAME_CHARACTERS;
  return isClear ? readable : shortenWithHash(readable, MAX_NAME_CHARACTERS, `${recordName} ${leaf}`);
}

/** The owner reference to a record. Undefined for a record of a file, which has no uid. */
export function ownerReference({ name, uid }: { name: string; uid?: string }): OwnerReference | undefined {
  if (uid === undefined) return undefined;
  return { apiVersion: DNS_RECORD.apiVersion, kind: DNS_RECORD.kind, name, uid, controller: true };
}
