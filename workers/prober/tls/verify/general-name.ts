import { children, type Der, expectTag, Malformed, readDer, TAG } from "./der.ts";
import { checkName } from "./name.ts";

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
