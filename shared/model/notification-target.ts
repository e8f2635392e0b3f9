import { z } from "zod";
import { duration } from "./duration.ts";
import { fieldErrors } from "./field-error.ts";
import { canonicalHost } from "./host.ts";
import { troubleKind } from "./trouble.ts";

/*
 * Every rule has words of its own: those of a library, and those that quote what was written, could tell of an address or a key.
 */

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

/** Somebody who is told of troubles. */
export const notificationTarget = z.discriminatedUnion("kind", [generic, slack, pagerduty], {
  error: (issue) => (issue.code === "invalid_union" ? "must be one of generic, slack, pagerduty" : "must be an object"),
});
export type NotificationTarget = z.output<typeof notificationTarget>;
export type TargetOf<Kind extends NotificationTarget["kind"]> = Extract<NotificationTarget, { kind: Kind }>;

const LIST_RULE = "must be a list of targets";
const targets = z
  .array(notificationTarget, { error: LIST_RULE })
  .max(MAX_TARGETS)
  .superRefine((all, context) => {
    for (const [index, { name, kinds, hosts }] of all.entries()) {
      if (all.findIndex((other) => other.name === name) < index) {
        context.addIssue({ code: "custom", path: [index, "name"], message: "is the name of another target too" });
      }
      if (hosts !== undefined && kinds !== undefined && !kinds.some((kind) => kind.startsWith("Record"))) {
        context.addIssue({
          code: "custom",
          path: [index, "hosts"],
          message: "limits records, of which kinds has none",
        });
      }
    }
  });

/** The targets as JSON text. Faults name path and rule, and nothing that was written. */
export const notificationTargets = z.string().transform((given, context): NotificationTarget[] => {
  const parsed = jsonOf(given);
  if (parsed === undefined) {
    context.addIssue({ code: "custom", message: "must be JSON, a list of targets" });
    return z.NEVER;
  }
  const result = targets.safeParse(parsed.value);
  if (result.success) return result.data;
  for (const { field, rule } of fieldErrors(result.error, parsed.value)) {
    context.addIssue({ code: "custom", path: pathOf(field), message: rule });
  }
  return z.NEVER;
});

function jsonOf(given: string): { value: unknown } | undefined {
  if (given.trim() === "") return { value: [] };
  try {
    return { value: JSON.parse(given) };
  } catch {
    return undefined;
  }
}

/** `[0].url` as `[0, "url"]`. The name of an unknown field is told only where it can be nothing else. */
function pathOf(field: string): (string | number)[] {
  const parts = field === "(whole)" ? [] : (field.match(/[^.[\]]+/g) ?? []);
  return parts.map((part) => (/^\d+$/.test(part) ? Number(part) : /^[A-Za-z]{1,20}$/.test(part) ? part : "…"));
}

function isSecret(given: string): boolean {
  const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(given)?.[1] ?? "";
  if (base64 === "" || base64.length % 4 !== 0) return false;
  const bytes = atob(base64).length;
  return bytes >= SECRET_BYTES.min && bytes <= SECRET_BYTES.max;
}
