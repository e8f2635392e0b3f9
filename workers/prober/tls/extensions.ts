import { concat, equalBytes, Reader, u16, vector16 } from "./bytes.ts";
import { refuse } from "./tls-error.ts";
export type Extensions = ReadonlyMap<number, Uint8Array>;

export const extension = (type: number, content: Uint8Array) => concat(u16(type), vector16(content));

/** The extensions in a block of them, each at most once (RFC 8446 §4.2). */
export function readExtensions(block: Uint8Array, what: string): Extensions {
  const reader = new Reader(block, what);
  const found = new Map<number, Uint8Array>();
  while (!reader.empty) {
    const type = reader.u16();
    if (found.has(type)) refuse("illegal_parameter", `its ${what} has extension ${type} twice`);
    found.set(type, reader.vector16());
  }
  return found;
}

/**
 * RFC 8446 §4.2: an extension that was not offered is answered with unsupported_extension, one that was but has no place in this
 * message with illegal_parameter.
 * @param unasked those that may come although they were not offered
 */
export function checkExtensions(
  found: Extensions,
  {
    offered,
    allowed,
    unasked = [],
  }: { offered: ReadonlySet<number>; allowed: readonly number[]; unasked?: readonly number[] },
  what: string,
): void {
  for (const type of found.keys()) {
    if (unasked.includes(type)) continue;
    if (!offered.has(type)) refuse("unsupported_extension", `its ${what} has extension ${type}, which was not offered`);
    if (!allowed.includes(type))
      refuse("illegal_parameter", `its ${what} has extension ${type}, which does not belong there`);
  }
}

/** The one protocol offered, RFC 7301. */
export const HTTP = new TextEncoder().encode("http/1.1");

/** RFC 7301 §3.1: exactly one protocol, one that was offered; no answer means that the server does not know ALPN. */
export function checkAlpn(content: Uint8Array | undefined): void {
  if (!content) return;
  const reader = new Reader(content, "ALPN extension");
  const protocols = new Reader(reader.vector16(), "ALPN extension");
  const chosen = protocols.vector8();
  protocols.end();
  reader.end();
  if (!equalBytes(chosen, HTTP))
    refuse("illegal_parameter", "it chose a protocol other than http/1.1, which was offered");
}
