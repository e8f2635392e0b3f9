import { digest } from "../../../shared/hash.ts";

const MAX_OBJECT_NAME = 253;
const MAX_LABEL_VALUE = 63;
const MAX_SET_IDENTIFIER = 128;
const HASH_DIGITS = 8;

/**
 * The name of the record of a listener: `<gateway>-<listener>`. A listener's name with a hyphen in it gets a hash behind,
 * since `a-b` with `c` and `a` with `b-c` would else have one name; so does a name that is too long. It depends on nothing
 * but the two, so that a record never changes its name on account of another Gateway.
 */
export function recordName(gateway: string, listener: string): string {
  const plain = `${gateway}-${listener}`;
  const isPlain = !listener.includes("-") && plain.length <= MAX_OBJECT_NAME;
  return isPlain ? plain : withHash(plain, `${gateway}/${listener}`, MAX_OBJECT_NAME);
}

/** The value of a label that names an object. */
export function labelValue(name: string): string {
  return name.length <= MAX_LABEL_VALUE ? name : withHash(name, name, MAX_LABEL_VALUE);
}

/** What tells the weighted set of a host name from the others: the host name, shortened where it is too long for one. */
export function setIdentifierOf(host: string): string {
  return host.length <= MAX_SET_IDENTIFIER ? host : withHash(host, host, MAX_SET_IDENTIFIER);
}

/** The text, shortened so that it ends in `-` and the hash and is legal as a name. */
function withHash(text: string, identity: string, maxLength: number): string {
  const head = text.slice(0, maxLength - HASH_DIGITS - 1).replace(/[-.]+$/, "");
  return `${head}-${digest(identity).slice(0, HASH_DIGITS)}`;
}
