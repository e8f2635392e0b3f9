import { concat, Reader, u16, vector16 } from "./bytes.ts";
import { refuse } from "./refusal.ts";

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
