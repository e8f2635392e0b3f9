import { Buffer } from "node:buffer";
import { children, type Der, expectTag, Malformed, readDer, TAG } from "./der.ts";
import { readOid, readText } from "./values.ts";

const MAX_SHOWN = 120;
const SHORT: Partial<Record<string, string>> = {
  "2.5.4.3": "CN",
  "2.5.4.6": "C",
  "2.5.4.7": "L",
  "2.5.4.8": "ST",
  "2.5.4.10": "O",
  "2.5.4.11": "OU",
};

interface Attribute {
  type: string;
  value: Der;
}

/** A distinguished name as people know it (`CN=R3, O=Let's Encrypt`), the most telling part first, bounded. */
export function nameText(name: Uint8Array): string {
  const parts = relativeNames(readDer(name))
    .flat()
    .map(({ type, value }) => `${SHORT[type] ?? type}=${printable(readText(value) ?? "?")}`)
    .reverse();
  const text = parts.join(", ");
  if (text === "") return "a nameless issuer";
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** Without control, format and unassigned characters: what a server sends ends in logs and on screens. */
export function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, "?");
}

/** The relative names, each in a comparable form. Case, repeated spaces and the string's type do not matter (RFC 5280 §7.1). */
export function comparableName(name: Der): string[] {
  return relativeNames(name).map((attributes) => attributes.map(comparable).sort().join("+"));
}

function comparable({ type, value }: Attribute): string {
  const text = readText(value)?.normalize("NFKC").toLowerCase().trim().replaceAll(/\s+/g, " ");
  return JSON.stringify([type, text ?? Buffer.from(value.raw).toString("hex")]);
}

/** Throws Malformed for what the other functions could not read. */
export function checkName(name: Der): void {
  relativeNames(name);
}

/** RDNSequence (RFC 5280 §4.1.2.4). */
function relativeNames(name: Der): Attribute[][] {
  return children(expectTag(name, TAG.sequence)).map((set) => children(expectTag(set, TAG.set)).map(attribute));
}

function attribute(pair: Der): Attribute {
  const [type, value] = children(expectTag(pair, TAG.sequence));
  if (value === undefined) throw new Malformed("an attribute of a name has no value");
  return { type: readOid(type), value };
}

/** GeneralName (RFC 5280 §4.2.1.6); kinds that nothing here compares are kept by their number alone. */
export type GeneralName =
  | { kind: "dns"; name: string }
  | { kind: "ip"; octets: Uint8Array }
  | { kind: "directory"; name: Der }
  | { kind: "other"; number: number };

export function readGeneralNames(names: Der): GeneralName[] {
  return children(expectTag(names, TAG.sequence)).map(readGeneralName);
}

export function readGeneralName(value: Der): GeneralName {
  switch (value.tag) {
    case 0x82:
      return { kind: "dns", name: asciiName(value.content) };
    case 0x87:
      return { kind: "ip", octets: value.content };
    case 0xa4: {
      const name = readDer(value.content, TAG.sequence);
      checkName(name);
      return { kind: "directory", name };
    }
    default:
      if ((value.tag & 0xc0) !== 0x80) throw new Malformed("a name is of no kind that the standard knows");
      return { kind: "other", number: value.tag & 0x1f };
  }
}

/** In lower case; an octet that no host name has makes the name one that equals none. */
function asciiName(octets: Uint8Array): string {
  return Array.from(octets.subarray(0, 1_024), (octet) => String.fromCharCode(octet))
    .join("")
    .toLowerCase();
}
