import ipaddr from "ipaddr.js";

/**
 * One canonical spelling of an address: dotted quad for IPv4, RFC 5952 for IPv6. Undefined for anything else, also for
 * the shorthand and octal spellings of IPv4 that resolvers read differently, and for zones (`fe80::1%eth0`).
 */
export function canonicalAddress(text: string): string | undefined {
  if (text.includes("%")) return undefined;
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text).toString();
  return ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text).toRFC5952String() : undefined;
}

/** The family of a canonical address, undefined for a host name. */
export function addressFamily(leaf: string): "IPv4" | "IPv6" | undefined {
  const address = canonicalAddress(leaf);
  if (address === undefined) return undefined;
  return address.includes(":") ? "IPv6" : "IPv4";
}
