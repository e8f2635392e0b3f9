import { type Der, expectTag, Malformed, TAG } from "./der.ts";

/** Dotted form of an object identifier (X.690 §8.19). */
export function readOid(value: Der | undefined): string {
  const { content } = expectTag(value, TAG.oid);
  const arcs: number[] = [];
  let arc = 0;
  for (const octet of content) {
    if (arc === 0 && octet === 0x80) throw new Malformed("an object identifier is padded");
    arc = arc * 128 + (octet & 0x7f);
    if (arc > Number.MAX_SAFE_INTEGER / 128) throw new Malformed("an object identifier is too great");
    if (octet & 0x80) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [first] = arcs;
  if (first === undefined || (content.at(-1) ?? 0x80) & 0x80) throw new Malformed("an object identifier is cut off");
  const root = Math.min(Math.trunc(first / 40), 2);
  return [root, first - root * 40, ...arcs.slice(1)].join(".");
}

export function readBoolean(value: Der): boolean {
  const { content } = expectTag(value, TAG.boolean);
  if (content.length !== 1) throw new Malformed("a boolean has not one octet");
  return content[0] !== 0;
}

/** An integer that is neither negative nor beyond what a number holds. */
export function readCount(content: Uint8Array): number {
  const [first] = content;
  if (first === undefined || first & 0x80 || content.length > 6) throw new Malformed("a number is out of its range");
  return content.reduce((sum, octet) => sum * 256 + octet, 0);
}

/** The octets of a BIT STRING and how many of its last bits do not count. */
export function readBits(value: Der | undefined): { octets: Uint8Array; unused: number } {
  const { content } = expectTag(value, TAG.bitString);
  const unused = content[0];
  if (unused === undefined || unused > 7 || (unused > 0 && content.length === 1))
    throw new Malformed("a bit string is wrong");
  return { octets: content.subarray(1), unused };
}

/** A BIT STRING that has to be whole octets, as keys and signatures are. */
export function readWholeBits(value: Der | undefined): Uint8Array {
  const { octets, unused } = readBits(value);
  if (unused !== 0) throw new Malformed("a bit string is not whole octets");
  return octets;
}

/** UTCTime or GeneralizedTime as RFC 5280 §4.1.2.5 allows them (to the second, in UTC), in Unix ms. */
export function readTime(value: Der | undefined): number {
  const text = String.fromCharCode(...(value?.content ?? []).slice(0, 16));
  const short = value?.tag === TAG.utcTime;
  if (!short) expectTag(value, TAG.generalizedTime);
  if (!(short ? /^\d{12}Z$/ : /^\d{14}Z$/).test(text)) throw new Malformed("a time is not to the second in UTC");
  const century = Number(text.slice(0, 2)) < 50 ? "20" : "19";
  const parts = /^(....)(..)(..)(..)(..)(..)/.exec(short ? century + text : text)?.slice(1) ?? [];
  const [year, month, day, hour, minute, second] = parts;
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  const time = Date.parse(iso);
  // 31 February is read as 3 March, and hour 24 as the next day.
  if (Number.isNaN(time) || new Date(time).toISOString() !== iso) throw new Malformed("a time is not in the calendar");
  return time;
}

const decoders: Partial<Record<number, TextDecoder>> = {
  12: new TextDecoder("utf-8"),
  19: new TextDecoder("utf-8"),
  22: new TextDecoder("utf-8"),
  20: new TextDecoder("latin1"),
  30: new TextDecoder("utf-16be"),
};

/** The text of any of the strings that names use (UTF8, Printable, IA5, Teletex, BMP); undefined for anything else. */
export function readText(value: Der): string | undefined {
  return decoders[value.tag]?.decode(value.content);
}
