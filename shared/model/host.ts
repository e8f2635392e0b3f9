import { z } from "zod";

/** RFC 1035 §2.3.4 and RFC 1123 §2.1: letters, digits and hyphens, no hyphen at either end, 63 octets a label. */
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
const MAX_NAME_OCTETS = 253;
const MAX_SHOWN = 70;

/**
 * One canonical form of a host name: lower case, no trailing dot, IDN as A-labels (UTS 46 by the URL parser).
 * A rule that is broken comes back as `{ rule }`; a leading `*.` is kept only where `wildcard` is set.
 */
export function canonicalHost(text: string, wildcard = false): { host: string } | { rule: string } {
  if (text === "") return { rule: "must not be empty" };
  const isWildcard = text.startsWith("*.");
  if (isWildcard && !wildcard) return { rule: "must not be a wildcard" };
  const ascii = toAscii((isWildcard ? text.slice(2) : text).replace(/\.$/, ""));
  if (ascii === undefined) return { rule: "must be a host name (RFC 1123)" };
  if (ascii.length + (isWildcard ? "*.".length : 0) > MAX_NAME_OCTETS)
    return { rule: `must be at most ${MAX_NAME_OCTETS} octets long` };
  const labels = ascii.split(".");
  const bad = labels.find((label) => !LABEL.test(label));
  if (bad !== undefined) {
    const shown = JSON.stringify(bad.length > MAX_SHOWN ? `${bad.slice(0, MAX_SHOWN)}…` : bad);
    return { rule: `has the label ${shown}: 1 to 63 letters, digits and inner hyphens are allowed` };
  }
  if (/^\d+$/.test(labels.at(-1) ?? "")) return { rule: "must be a host name, not an address" };
  return { host: (isWildcard ? "*." : "") + ascii };
}

function toAscii(name: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: plain ASCII needs no IDNA, and the URL parser drops tabs and newlines.
  if (/^[\x00-\x7f]*$/.test(name)) return name.toLowerCase();
  if (/[\s/\\?#@:[\]%]/.test(name)) return undefined;
  try {
    return new URL(`http://${name}/`).hostname;
  } catch {
    return undefined;
  }
}

function hostField(wildcard: boolean) {
  return z.string().transform((text, context) => {
    const result = canonicalHost(text, wildcard);
    if ("host" in result) return result.host;
    context.addIssue({ code: "custom", message: result.rule });
    return z.NEVER;
  });
}

/** A host name, canonical after parsing. */
export const hostName = hostField(false);

/** A host name whose first label may be `*`, as the owner of a DNS record set may be (RFC 4592). */
export const dnsName = hostField(true);
