import { canonicalAddress } from "../shared/model/address.ts";

/**
 * The rule that an address breaks which the edge is to call, or undefined. It must reach the one it is meant for and nobody else:
 * https, by name, unless private addresses are allowed (a local stack). The address is not quoted: path and query may be secrets.
 */
export function webhookFault(webhookUrl: string, allowPrivate: boolean): string | undefined {
  const url = new URL(webhookUrl);
  if (url.username !== "" || url.password !== "") return "must not hold a user name or a password";
  if (allowPrivate) return /^https?:$/.test(url.protocol) ? undefined : "must be http(s)";
  if (url.protocol !== "https:") return "must be https";
  const isAddress = canonicalAddress(url.hostname.replace(/^\[|\]$/g, "")) !== undefined;
  return isAddress ? "must name a host: calls to addresses are refused here" : undefined;
}
