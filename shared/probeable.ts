import ipaddr from "ipaddr.js";
import { CLOUDFLARE_RANGES } from "./cloudflare-ranges.ts";
import { canonicalAddress } from "./model/address.ts";

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Cidr = [Address, number];

const cidr = (range: string): Cidr => ipaddr.parseCIDR(range);

const CLOUDFLARE = CLOUDFLARE_RANGES.map(cidr);
/** RFC 5737, RFC 3849, RFC 9637. */
const DOCUMENTATION = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"].map(cidr);
/** The only block that IANA assigns global unicast IPv6 addresses from. */
const GLOBAL_IPV6 = cidr("2000::/3");
const NAT64 = cidr("64:ff9b::/96");
const SIX_TO_FOUR = cidr("2002::/16");

/** By ipaddr.js' names of ranges; every other name but `unicast` is a reserved range. */
const WORDS: Partial<Record<string, string>> = {
  unspecified: "the unspecified address",
  broadcast: "the broadcast address",
  multicast: "a multicast address",
  linkLocal: "a link-local address",
  loopback: "a loopback address",
  carrierGradeNat: "a carrier-grade NAT address",
  private: "a private address",
  uniqueLocal: "a private address",
  ipv4Mapped: "an IPv4-mapped address",
};
const RESERVED = "a reserved address";

/** Ranges that a local stack and tests may use: nothing in them can be reached from the internet. */
const LOCAL = new Set(["a private address", "a loopback address", "a documentation address"]);

/**
 * Why an address is not dialled, as text, or undefined when it may be (docs/design/dialling.md). `allowPrivate` lifts private,
 * loopback and documentation addresses only; those of the platform's own edge can never be dialled.
 */
export function notProbeable(address: string, allowPrivate: boolean): string | undefined {
  const canonical = canonicalAddress(address);
  if (canonical === undefined) return `${JSON.stringify(address)} is not an IP address`;
  const kind = kindOf(ipaddr.parse(canonical));
  if (kind === undefined || (allowPrivate && LOCAL.has(kind))) return undefined;
  return `${canonical} is ${kind}`;
}

function kindOf(address: Address): string | undefined {
  const embedded = embeddedIPv4(address);
  if (embedded !== undefined) return kindOf(embedded);
  if (isIn(address, CLOUDFLARE)) return "an address of Cloudflare's own network, which a Worker cannot dial";
  if (isIn(address, DOCUMENTATION)) return "a documentation address";
  const range = address.range();
  if (range !== "unicast") return WORDS[range] ?? RESERVED;
  return address.kind() === "ipv4" || isIn(address, [GLOBAL_IPV6]) ? undefined : RESERVED;
}

/** The IPv4 address that a NAT64 (RFC 6052) or 6to4 (RFC 3056) address leads to. */
function embeddedIPv4(address: Address): ipaddr.IPv4 | undefined {
  const bytes = address.toByteArray();
  if (isIn(address, [NAT64])) return new ipaddr.IPv4(bytes.slice(12, 16));
  return isIn(address, [SIX_TO_FOUR]) ? new ipaddr.IPv4(bytes.slice(2, 6)) : undefined;
}

function isIn(address: Address, ranges: readonly Cidr[]): boolean {
  return ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}
