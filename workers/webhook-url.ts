import { canonicalAddress } from "../shared/model/address.ts";
import type { FieldError } from "../shared/model/problem.ts";

/**
 * What is wrong with an address that the edge is to call, or undefined. It must reach the one it is meant for and nobody else:
 * https, by name, unless private addresses are allowed (a local stack). A value that may hold a password is not told.
 */
export function webhookFault(webhookUrl: string, allowPrivate: boolean): Omit<FieldError, "field"> | undefined {
  const url = new URL(webhookUrl);
  if (url.username !== "" || url.password !== "") return { rule: "must not hold a user name or a password" };
  if (allowPrivate) return /^https?:$/.test(url.protocol) ? undefined : { value: webhookUrl, rule: "must be http(s)" };
  if (url.protocol !== "https:") return { value: webhookUrl, rule: "must be https" };
  const isAddress = canonicalAddress(url.hostname.replace(/^\[|\]$/g, "")) !== undefined;
  return isAddress ? { value: webhookUrl, rule: "must name a host: calls to addresses are refused here" } : undefined;
}
