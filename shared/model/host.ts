import { z } from "zod";
import { cel, celText } from "./cel.ts";

/** RFC 1035 §2.3.4 and RFC 1123 §2.1: letters, digits and hyphens, no hyphen at either end, 63 octets a label. */
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;
const MAX_NAME_OCTETS = 253;
/** As it is written, with a dot at the end. Characters that IDNA drops could go on without end. */
export const MAX_HOST_CHARACTERS = MAX_NAME_OCTETS + 1;
const TOO_LONG = `must be at most ${MAX_NAME_OCTETS} octets long`;
const MAX_SHOWN = 70;

/**
 * One canonical form of a host name: lower case, no trailing dot, IDN as A-labels (UTS 46 by the URL parser).
 * A rule that is broken comes back as `{ rule }`; a leading `*.` is kept only where `wildcard` is set.
 */
export function canonicalHost(text: string, wildcard = false): { host: string } | { rule: string } {
  if (text === "") return { rule: "must not be empty" };
  if (text.length > MAX_HOST_CHARACTERS) return { rule: TOO_LONG };
  const isWildcard = text.startsWith("*.");
  if (isWildcard && !wildcard) return { rule: "must not be a wildcard" };
  const ascii = toAscii((isWildcard ? text.slice(2) : text).replace(/\.$/, ""));
  if (ascii === undefined) return { rule: "must be a host name (RFC 1123)" };
  if (ascii.length + (isWildcard ? "*.".length : 0) > MAX_NAME_OCTETS) return { rule: TOO_LONG };
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

const LABEL_IN_CEL = "[0-9A-Za-z]([-0-9A-Za-z]{0,61}[0-9A-Za-z])?";
const NON_ASCII = celText("[^\\x00-\\x7F]");

/** Whether a name has IDN labels, which CEL cannot bring into canonical form. */
export const isIdnInCel = (name: string) => `${name}.matches(${NON_ASCII})`;

/** An ASCII name as names are compared: in lower case, with one dot at the end. */
export const comparableInCel = (name: string) => `(${name}.lowerAscii() + '.').replace('..', '.')`;

/** Whether a text is a host name in any spelling that {@link canonicalHost} takes; all with IDN labels are. */
export function isHostInCel(name: string, wildcard = false): string {
  const pattern = celText(`^${wildcard ? "([*][.])?" : ""}${LABEL_IN_CEL}([.]${LABEL_IN_CEL})*[.]?$`);
  const isLong = `size(${name}) > ${MAX_NAME_OCTETS} && !${name}.endsWith('.')`;
  const isAddress = `${name}.matches(${celText("(^|[.])[0-9]+[.]?$")})`;
  return `${isIdnInCel(name)} || (${name}.matches(${pattern}) && !${isAddress} && !(${isLong}))`;
}

const HOST_MESSAGE =
  "must be a host name (RFC 1123: labels of 1 to 63 letters, digits and inner hyphens), not an address";

function hostField(wildcard: boolean) {
  const message = `${HOST_MESSAGE}${wildcard ? "; it may start with *." : " or a wildcard"}`;
  const text = z
    .string()
    .meta({ maxLength: MAX_HOST_CHARACTERS, ...cel({ rule: isHostInCel("self", wildcard), message }) });
  return text.transform((text, context) => {
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
