import type { NetworkInterfaceInfo } from "node:os";

/** Documentation prefix (RFC 3849): nothing is ever there. */
const NOWHERE = "[2001:db8::1]:9";

/**
 * What the probers of the stack dial to know their own trouble, as the setting `CANARIES` wants it. The stack's own port needs no
 * internet: if not even that answers, the trouble is the prober's. Where this machine has no IPv6 address but loopback, a
 * canary that cannot answer says so, and leaves behind IPv6 are not charged with it.
 */
export function canaries(own: string, interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>): string {
  const addresses = Object.values(interfaces).flatMap((one) => one ?? []);
  const hasIPv6 = addresses.some(({ family, internal, address }) => {
    return family === "IPv6" && !internal && !address.toLowerCase().startsWith("fe80:");
  });
  return hasIPv6 ? own : `${own},${NOWHERE}`;
}
