import type { FieldError } from "./model/problem.ts";

const MAX_HEADERS = 32;
const MAX_NAME_CHARACTERS = 128;
const MAX_VALUE_CHARACTERS = 8_192;
const MAX_TOTAL_CHARACTERS = 16_384;

/** RFC 9110 §5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** RFC 9110 §5.5 without obs-text: what every server reads alike. */
const FIELD_VALUE = /^[\t\x20-\x7e]*$/;

/** Headers that say where the request goes, how long it is, what the connection does, or who asks. */
const FORBIDDEN = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
]);
const FORBIDDEN_PREFIX = "proxy-";

export type CheckedHeaders = { ok: true; headers: Record<string, string> } | { ok: false; errors: FieldError[] };

/**
 * Checks the additional headers of a probe. It trims white space around the values, since the newline at the end of a secret file
 * does not belong to the secret. Errors name the header and the rule, and never a value.
 */
export function checkHeaders(given: Readonly<Record<string, string>>): CheckedHeaders {
  const entries = Object.entries(given).map(([name, value]): [string, string] => [name, value.trim()]);
  const errors = [...entries.flatMap(([name, value]) => faultsOf(name, value)), ...faultsTogether(entries)];
  return errors.length > 0 ? { ok: false, errors } : { ok: true, headers: Object.fromEntries(entries) };
}

function faultsOf(name: string, value: string): FieldError[] {
  const field = `headers[${JSON.stringify(name.slice(0, MAX_NAME_CHARACTERS))}]`;
  const rules: string[] = [];
  if (!TOKEN.test(name) || name.length > MAX_NAME_CHARACTERS) {
    rules.push(`must be named by at most ${MAX_NAME_CHARACTERS} letters, digits and !#$%&'*+-.^_\`|~`);
  } else if (FORBIDDEN.has(name.toLowerCase()) || name.toLowerCase().startsWith(FORBIDDEN_PREFIX)) {
    rules.push("is set by the prober and must not be given");
  }
  if (!FIELD_VALUE.test(value)) rules.push("must hold visible ASCII characters, spaces and tabs only");
  if (value.length > MAX_VALUE_CHARACTERS) rules.push(`must be at most ${MAX_VALUE_CHARACTERS} characters long`);
  return rules.map((rule) => ({ field, rule }));
}

function faultsTogether(entries: readonly [string, string][]): FieldError[] {
  const rules: string[] = [];
  if (entries.length > MAX_HEADERS) rules.push(`must be at most ${MAX_HEADERS} headers`);
  if (new Set(entries.map(([name]) => name.toLowerCase())).size !== entries.length) {
    rules.push("must not name one header twice in different case");
  }
  const total = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (total > MAX_TOTAL_CHARACTERS) rules.push(`must be at most ${MAX_TOTAL_CHARACTERS} characters long together`);
  return rules.map((rule) => ({ field: "headers", rule }));
}
