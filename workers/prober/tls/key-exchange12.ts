import { concat, Reader } from "./bytes.ts";
import type { Offer } from "./offer.ts";
import type { GroupName, Suite } from "./parameters.ts";
import { groupName } from "./parameters.ts";
import type { LeafKey } from "./signature.ts";
import { checkSignature } from "./signature.ts";
import { refuse } from "./tls-error.ts";

/** ECCurveType named_curve, RFC 8422 §5.4. */
const NAMED_CURVE = 3;

interface KeyExchangeContext {
  leaf: LeafKey;
  suite: Suite;
  offer: Offer;
  /** The client's and the server's, which the signature covers. */
  randoms: Uint8Array;
}

/** Reads a ServerKeyExchange of ECDHE and checks its signature, RFC 8422 §5.4. */
export function readKeyExchange(
  body: Uint8Array,
  { leaf, suite, offer, randoms }: KeyExchangeContext,
): { group: GroupName; publicKey: Uint8Array } {
  const reader = new Reader(body, "ServerKeyExchange");
  if (reader.u8() !== NAMED_CURVE) refuse("illegal_parameter", "it exchanges keys on a curve without a name");
  const code = reader.u16();
  const publicKey = reader.vector8();
  const parameters = body.subarray(0, 4 + publicKey.length);
  const scheme = reader.u16();
  const signature = reader.vector16();
  reader.end();
  const group = groupName(code);
  if (!group || !offer.groups.includes(group)) {
    return refuse("illegal_parameter", `it chose group 0x${code.toString(16)}, which was not offered`);
  }
  // Ed25519 goes with the ECDSA suites, RFC 8422 §5.10.
  if ((suite.keyType === "rsa") !== (leaf.type === "rsa")) {
    refuse("illegal_parameter", `it chose ${suite.name} with a certificate of key type ${leaf.type}`);
  }
  checkSignature(leaf, { scheme, content: concat(randoms, parameters), signature }, offer.signatureSchemes, "TLSv1.2");
  return { group, publicKey };
}
