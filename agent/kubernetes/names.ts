import { hashed } from "./metadata.ts";

const MAX_NAME_CHARACTERS = 253;

/**
 * Names the probe object of a leaf: `<record>-<leaf>` where that is a legal name and can only be read in one way, else with a
 * hash at its end. A name without a hash ends in a leaf that has a dot and no hyphen, one with a hash does not.
 */
export function probeName(recordName: string, leaf: string): string {
  const readable = `${recordName}-${leaf.replaceAll(":", "-")}`;
  const isClear = /^[a-z0-9.]*\.[a-z0-9.]*$/.test(leaf) && readable.length <= MAX_NAME_CHARACTERS;
  return isClear ? readable : hashed(readable, MAX_NAME_CHARACTERS, `${recordName} ${leaf}`);
}
