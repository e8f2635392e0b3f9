import { equalBytes, Reader } from "./bytes.ts";
import { refuse } from "./refusal.ts";

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
