import { digest } from "../../shared/hash.ts";
import { DNS_RECORD } from "./kinds.ts";
import { MANAGED_BY_US, type OwnerReference } from "./object.ts";

const RECORD_LABEL = "vedette.dev/record";

const MAX_LABEL_CHARACTERS = 63;
const HASH_CHARACTERS = 8;

/** The labels of what belongs to a record: ours, and whose. */
export function recordLabels(recordName: string): Record<string, string> {
  const isShort = recordName.length <= MAX_LABEL_CHARACTERS;
  return { ...MANAGED_BY_US, [RECORD_LABEL]: isShort ? recordName : shortenWithHash(recordName, MAX_LABEL_CHARACTERS) };
}

/** A text of a name's characters cut to a length, with a hash of `identity` in place of what was cut. */
export function shortenWithHash(text: string, maxCharacters: number, identity = text): string {
  const kept = text.slice(0, maxCharacters - HASH_CHARACTERS - 1).replace(/[-.]+$/, "");
  return `${kept}-${digest(identity).slice(0, HASH_CHARACTERS)}`;
}

const MAX_NAME_CHARACTERS = 253;

/**
 * Names the probe object of a leaf: `<record>-<leaf>` where that is a legal name and can only be read in one way, else with a
 * hash at its end. A name without a hash ends in a leaf that has a dot and no hyphen, one with a hash does not.
 */
export function probeName(recordName: string, leaf: string): string {
  const readable = `${recordName}-${leaf.replaceAll(":", "-")}`;
  const isClear = /^[a-z0-9.]*\.[a-z0-9.]*$/.test(leaf) && readable.length <= MAX_NAME_CHARACTERS;
  return isClear ? readable : shortenWithHash(readable, MAX_NAME_CHARACTERS, `${recordName} ${leaf}`);
}

/** What goes with the record. Undefined for a record that has no identity: one of a file. */
export function ownerReference({ name, uid }: { name: string; uid?: string }): OwnerReference | undefined {
  if (uid === undefined) return undefined;
  return { apiVersion: DNS_RECORD.apiVersion, kind: DNS_RECORD.kind, name, uid, controller: true };
}
