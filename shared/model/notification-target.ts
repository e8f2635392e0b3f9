import { z } from "zod";
import { duration } from "./duration.ts";
import { fieldErrors } from "./field-error.ts";
import { canonicalHost } from "./host.ts";
import { troubleKind } from "./trouble.ts";

/* Every rule has its own message. A library's message, or one that quotes the value, could reveal an address or a key. */

const HOUR_MS = 3_600_000;
const MAX_TARGETS = 20;
const MAX_HOSTS = 100;
const MAX_URL_CHARACTERS = 2_048;
const SECRET_BYTES = { min: 24, max: 64 };
const PAGERDUTY = "https://events.pagerduty.com/v2/enqueue";

const text = (rule: string) => z.string({ error: (issue) => (issue.input === undefined ? "is required" : rule) });

const url = text("must be a URL").refine((given) => given.length <= MAX_URL_CHARACTERS && URL.canParse(given), {
  error: "must be a URL",
});

const SECRET_RULE = `must be whsec_ and ${SECRET_BYTES.min} to ${SECRET_BYTES.max} bytes in base64`;
const secret = text(SECRET_RULE).refine(isSecret, { error: SECRET_RULE });

const HOST_RULE = "must be a host name, or *. and one";
const host = text(HOST_RULE).transform((given, context) => {
  const result = canonicalHost(given, true);
  if ("host" in result) return result.host;
  context.addIssue({ code: "custom", message: HOST_RULE });
  return z.NEVER;
});

const NAME_RULE = "must be at most 63 lower-case letters, digits and inner hyphens";
const ROUTING_KEY_RULE = "must be 1 to 128 letters, digits, _ or -";

const common = {
  name: text(NAME_RULE)
    .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, { error: NAME_RULE })
    .describe("Names the target in logs and errors. Under a new name it is a new target."),
  minDuration: duration(0, 24 * HOUR_MS)
    .default(60_000)
    .describe("What lasts less is not told. What comes back sooner after its end is the same incident."),
  groupWindow: duration(0, HOUR_MS).default(30_000).describe("What begins or ends within it goes into one message."),
  kinds: z
    .array(z.enum(troubleKind.options, { error: `must be one of ${troubleKind.options.join(", ")}` }), {
      error: "must be a list of kinds",
    })
    .min(1)
    .optional()
    .describe("Which kinds of trouble are told; all where absent."),
  hosts: z
    .array(host, { error: "must be a list of host names" })
    .min(1)
    .max(MAX_HOSTS)
    .optional()
    .describe(
      "Of records only these are told, `*.example.com` being all under example.com. Other kinds are told all the same.",
    ),
};

const generic = z.strictObject({
  kind: z.literal("generic"),
  url,
  secret: secret.optional().describe("Signs each message (Standard Webhooks)."),
  ...common,
});

const slack = z.strictObject({ kind: z.literal("slack"), url, ...common });

const pagerduty = z.strictObject({
  kind: z.literal("pagerduty"),
  routingKey: text(ROUTING_KEY_RULE).regex(/^[\w-]{1,128}$/, { error: ROUTING_KEY_RULE }),
  url: url.default(PAGERDUTY).describe("Another one for the service region EU, or for a compatible service."),
  ...common,
});

/** A receiver of notifications. */
const notificationTarget = z.discriminatedUnion("kind", [generic, slack, pagerduty], {
  error: (issue) => (issue.code === "invalid_union" ? "must be one of generic, slack, pagerduty" : "must be an object"),
});
export type NotificationTarget = z.output<typeof notificationTarget>;
export type TargetOf<Kind extends NotificationTarget["kind"]> = Extract<NotificationTarget, { kind: Kind }>;

/** Targets as they were written, and what is wrong with those that are left out; fields are named from `root` on. */
interface ReadTargets {
  targets: NotificationTarget[];
  faults: { field: string; rule: string }[];
}

/**
 * Reads targets from JSON text, one by one: one that is wrong is left out and hurts none of the others. Faults name field and
 * rule, and nothing that was written. `urlFault` is the rule that an address breaks, or undefined.
 */
export function readTargets(given: string, root: string, urlFault: (url: string) => string | undefined): ReadTargets {
  const list = listOf(given);
  if (typeof list === "string") return { targets: [], faults: [{ field: root, rule: list }] };
  const read: ReadTargets = { targets: [], faults: [] };
  for (const [index, one] of list.slice(0, MAX_TARGETS).entries()) {
    const result = notificationTarget.safeParse(one);
    const faults = result.success ? faultsOf(result.data, read.targets, urlFault) : fieldErrors(result.error, one);
    if (result.success && faults.length === 0) read.targets.push(result.data);
    for (const { field, rule } of faults) read.faults.push({ field: `${root}[${index}]${shownField(field)}`, rule });
  }
  if (list.length > MAX_TARGETS) read.faults.push({ field: root, rule: `must be at most ${MAX_TARGETS} entries long` });
  return read;
}

/** The list, or the rule that the text breaks. */
function listOf(given: string): unknown[] | string {
  if (given.trim() === "") return [];
  try {
    const list: unknown = JSON.parse(given);
    return Array.isArray(list) ? list : "must be a list of targets";
  } catch {
    return "must be JSON, a list of targets";
  }
}

/** What is wrong with a target though each of its fields may be as it is. */
function faultsOf(
  { name, url, kinds, hosts }: NotificationTarget,
  before: readonly NotificationTarget[],
  urlFault: (url: string) => string | undefined,
): { field: string; rule: string }[] {
  const wrongUrl = urlFault(url);
  const isMoot = hosts !== undefined && kinds !== undefined && !kinds.some((kind) => kind.startsWith("Record"));
  return [
    ...(before.some((other) => other.name === name)
      ? [{ field: "name", rule: "is the name of another target too" }]
      : []),
    ...(wrongUrl === undefined ? [] : [{ field: "url", rule: wrongUrl }]),
    ...(isMoot ? [{ field: "hosts", rule: "limits records, of which kinds has none" }] : []),
  ];
}

/** `kinds[0]` as `.kinds[0]`. The name of an unknown field is reported only where it can be nothing else. */
function shownField(field: string): string {
  const parts = field === "(whole)" ? [] : (field.match(/[^.[\]]+/g) ?? []);
  const shown = parts.map((part) =>
    /^\d+$/.test(part) ? `[${part}]` : /^[A-Za-z]{1,20}$/.test(part) ? `.${part}` : ".…",
  );
  return shown.join("");
}

function isSecret(given: string): boolean {
  const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(given)?.[1] ?? "";
  if (base64 === "" || base64.length % 4 !== 0) return false;
  const bytes = atob(base64).length;
  return bytes >= SECRET_BYTES.min && bytes <= SECRET_BYTES.max;
}
