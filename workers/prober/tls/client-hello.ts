import { isIP } from "node:net";
import { concat, list16, NOTHING, Reader, u8, u16, vector8, vector16, vector24 } from "./bytes.ts";
import { extension, HTTP, readExtensions } from "./extensions.ts";
import type { KeyShare } from "./key-share.ts";
import type { Offer } from "./offer.ts";
import { EXTENSION, GROUPS, HANDSHAKE, RENEGOTIATION_SCSV, SUITES, TLS12, TLS13 } from "./parameters.ts";
import { schemeCode } from "./signature.ts";

export interface HelloInput {
  serverName: string;
  offer: Offer;
  random: Uint8Array;
  sessionId: Uint8Array;
  shares: readonly KeyShare[];
  /** Echoed from a HelloRetryRequest. */
  cookie?: Uint8Array;
}

/** What was sent, to compare the answers with. */
export interface SentHello {
  random: Uint8Array;
  sessionId: Uint8Array;
  extensions: ReadonlySet<number>;
}

const ENCODER = new TextEncoder();
/** Type and length of a handshake message. */
const HEADER = 4;

/** The handshake message ClientHello, RFC 8446 §4.1.2. */
export function encodeClientHello(input: HelloInput): Uint8Array {
  const { versions, suites } = input.offer;
  const codes: number[] = SUITES.filter(({ name, version }) => suites.includes(name) && versions.includes(version))
    .sort((left, right) => suites.indexOf(left.name) - suites.indexOf(right.name))
    .map(({ code }) => code);
  if (versions.includes("TLSv1.2")) codes.push(RENEGOTIATION_SCSV);
  const made = concat(...extensionsOf(input));
  const body = (extensions: Uint8Array) =>
    concat(
      u16(TLS12),
      input.random,
      vector8(input.sessionId),
      vector16(list16(codes)),
      vector8(u8(0)),
      vector16(extensions),
    );
  const bareLength = HEADER + body(NOTHING).length + made.length;
  return concat(u8(HANDSHAKE.clientHello), vector24(body(concat(made, padding(bareLength)))));
}

/** RFC 7685: some servers hang on a ClientHello of 256 to 511 bytes, so that browsers lengthen theirs. */
function padding(length: number): Uint8Array {
  if (length < 256 || length >= 512) return NOTHING;
  // The extension has a header of four bytes, and some servers dislike an empty one at the end.
  return extension(EXTENSION.padding, new Uint8Array(Math.max(1, 512 - length - 4)));
}

function extensionsOf({ serverName, offer, shares, cookie }: HelloInput): Uint8Array[] {
  const made = [
    extension(EXTENSION.supportedGroups, vector16(list16(offer.groups.map((name) => GROUPS[name])))),
    extension(EXTENSION.alpn, vector16(vector8(HTTP))),
    extension(EXTENSION.signatureAlgorithms, vector16(list16(offer.signatureSchemes.map(schemeCode)))),
  ];
  // RFC 6066 §3 allows no address here; a server that chooses by name would refuse it.
  const host = isIP(serverName.replace(/^\[(.*)\]$/, "$1")) ? undefined : serverName.replace(/\.$/, "");
  if (host) made.unshift(extension(EXTENSION.serverName, vector16(concat(u8(0), vector16(ENCODER.encode(host))))));
  if (offer.versions.includes("TLSv1.2")) {
    if (offer.extendedMasterSecret) made.push(extension(EXTENSION.extendedMasterSecret, NOTHING));
    made.push(extension(EXTENSION.ecPointFormats, vector8(u8(0))));
  }
  if (offer.versions.includes("TLSv1.3")) {
    const versions = offer.versions.map((name) => (name === "TLSv1.3" ? TLS13 : TLS12));
    made.push(extension(EXTENSION.supportedVersions, vector8(list16(versions))));
    const entries = shares.map(({ group, publicKey }) => concat(u16(GROUPS[group]), vector16(publicKey)));
    made.push(extension(EXTENSION.keyShare, vector16(concat(...entries))));
    if (cookie) made.push(extension(EXTENSION.cookie, vector16(cookie)));
  }
  return made;
}

/** Reads a ClientHello of our own back: what was offered is what was sent. */
export function readBack(message: Uint8Array): SentHello {
  const reader = new Reader(message.subarray(HEADER), "ClientHello");
  reader.u16();
  const random = reader.take(32);
  const sessionId = reader.vector8();
  reader.vector16();
  reader.vector8();
  return { random, sessionId, extensions: new Set(readExtensions(reader.vector16(), "ClientHello").keys()) };
}
