import { canonicalAddress } from "../shared/model/address.ts";

/**
 * The rule that a webhook URL breaks, or undefined. The URL must reach only its intended receiver: https, with a host
 * name. For a local stack, private addresses may be allowed. The URL is never shown, since its path and query may be
 * secrets.
 */
export function webhookFault(webhookUrl: string, allowPrivate: boolean): string | undefined {
  const url = new URL(webhookUrl);
  if (url.username !== "" || url.password !== "") return "must not hold a user name or a password";
  if (allowPrivate) return /^https?:$/.test(url.protocol) ? undefined : "must be http(s)";
  if (url.protocol !== "https:") return "must be https";
  const isAddress = canonicalAddress(url.hostname.replace(/^\[|\]$/g, "")) !== undefined;
  return isAddress ? "must name a host: calls to addresses are refused here" : undefined;
}
