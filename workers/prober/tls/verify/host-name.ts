import ipaddr from "ipaddr.js";
import { canonicalAddress } from "../../../../shared/model/address.ts";
import { type Certificate, sameOctets } from "./certificate.ts";
import { type GeneralName, printable } from "./name.ts";

const MAX_SHOWN_NAMES = 5;
const MAX_NAME_SHOWN = 80;

/**
 * Whether a certificate is for `host`, a host name or an IP address (RFC 9525 §6): by its subjectAltName only, never by
 * its common name. A name is compared without case and final dot, an address as octets.
 */
export function isFor(certificate: Certificate, host: string): boolean {
  const names = certificate.extensions.subjectNames ?? [];
  const address = canonicalAddress(host);
  if (address !== undefined) {
    const octets = Uint8Array.from(ipaddr.parse(address).toByteArray());
    return names.some((name) => name.kind === "ip" && sameOctets(name.octets, octets));
  }
  const wanted = host.toLowerCase().replace(/\.$/, "");
  return names.some((name) => name.kind === "dns" && nameMatches(name.name, wanted));
}

/** RFC 9525 §6.3: a wildcard is a whole left-most label and stands for one label; at least two labels follow it. */
function nameMatches(presented: string, wanted: string): boolean {
  if (!presented.startsWith("*.")) return presented === wanted && !presented.includes("*");
  const rest = presented.slice(1);
  const label = wanted.slice(0, wanted.indexOf("."));
  return rest.slice(1).includes(".") && !rest.includes("*") && label !== "" && wanted === label + rest;
}

/** The names a certificate is for, as a person reads them; a server chooses how many, so only the first are shown. */
export function namesText({ extensions }: Certificate): string {
  const names = (extensions.subjectNames ?? []).map(nameOf).filter((name) => name !== undefined);
  if (names.length === 0) return "no name at all (a common name does not count)";
  const shown = names.slice(0, MAX_SHOWN_NAMES).join(", ");
  return names.length > MAX_SHOWN_NAMES ? `${shown} and ${names.length - MAX_SHOWN_NAMES} more` : shown;
}

function nameOf(name: GeneralName): string | undefined {
  if (name.kind === "dns") {
    const shown = printable(name.name.slice(0, MAX_NAME_SHOWN));
    return canonicalAddress(name.name) === undefined ? shown : `${shown} (as a name, not as an address)`;
  }
  if (name.kind !== "ip" || ![4, 16].includes(name.octets.length)) return undefined;
  return ipaddr.fromByteArray([...name.octets]).toString();
}
