import { z } from "zod";
import { duration } from "../shared/model/duration.ts";
import { fieldErrors, formatFieldError } from "../shared/model/field-error.ts";
import { type NotificationTarget, readTargets } from "../shared/model/notification-target.ts";
import { socketAddress } from "../shared/model/socket-address.ts";
import { allowedPorts } from "./allowed-ports.ts";
import { certificatesOfPem } from "./prober/tls/pem.ts";
import { webhookFault } from "./webhook-url.ts";

const HOUR_MS = 3_600_000;
const flag = z.stringbool().default(false);

const headerKey = z.base64().refine((text) => atob(text).length === 32, { error: "must be 32 bytes in base64" });

/** Certificates in DER. */
const roots = z.string().transform((text, context) => {
  const read = text.trim() === "" ? { certificates: [] } : certificatesOfPem(text);
  if ("certificates" in read) return read.certificates;
  context.addIssue({ code: "custom", message: read.fault });
  return z.NEVER;
});

const publicUrl = z
  .url({ protocol: /^https?$/, error: "must be an http(s) URL" })
  .refine((text) => !/[?#]/.test(text), { error: "must have no query and no fragment" })
  .transform((text) => text.replace(/\/+$/, ""));

/** Every setting of the edge: name, default, check and help in one place. */
const fields = z.object({
  ADMIN_TOKEN: z
    .string()
    .min(16)
    .optional()
    .describe("Bearer token of the admin routes, 16 characters or more. Without it they are closed."),
  PUBLIC_READS: flag.describe("Answer the read routes without the admin token. Cluster routes always need it."),
  VIEW_TOKEN: z
    .string()
    .min(16)
    .optional()
    .describe("Opens the view and the read routes, and nothing else; 16 characters or more, another than ADMIN_TOKEN."),
  PUBLIC_VIEW: z
    .enum(["off", "overview", "overview-without-addresses"])
    .default("off")
    .describe("What anyone may see without a token: nothing, the overview, or the overview with its addresses hidden."),
  HEADER_KEY: headerKey
    .optional()
    .describe("32 bytes in base64 that seal header secrets. Without it such records rest."),
  HEADER_KEY_ID: z.string().min(1).default("1").describe("Names HEADER_KEY in what it sealed."),
  HEADER_KEY_PREVIOUS: headerKey.optional().describe("The key before, still opened while rotating."),
  HEADER_KEY_PREVIOUS_ID: z.string().optional(),
  PARTITIONS: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe(
      "Coordinators; set once, at install. Should it be changed, the number of install time stays in force, and each cluster's conditions say so.",
    ),
  ALLOW_PRIVATE_ADDRESSES: flag.describe("Probe private and loopback addresses. For a local stack only."),
  ALLOWED_PORTS: allowedPorts
    .prefault("1-65535")
    .describe("Ports that are probed, such as `80,443,8000-8999`. Port 25 never is: the platform refuses it."),
  MAX_REQUESTS_PER_ADDRESS: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(100)
    .describe(
      "Requests a second that one partition sends to one address, or one host name, at most, all regions together; near it confirmations are fewer, and beyond it the newest records are published unjudged.",
    ),
  MAX_LEAVES_PER_CLUSTER: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(10_000)
    .describe("Leaves in one cluster's snapshot at most; records beyond it are refused."),
  PLAN: z
    .enum(["paid", "free"])
    .default("paid")
    .describe("Cloudflare's plan. On the free one, use is held against its daily limits, and nearing one is told."),
  DIALS_TOGETHER: z.coerce
    .number()
    .int()
    .min(1)
    .max(5)
    .default(1)
    .describe(
      "Proven addresses that are dialled at a time in each invocation a prober makes for it. Above 1 only where Cloudflare counts these dials apart from the prober's own six: rounds are over sooner then, and cost less. `npm run check:edge` measures that, and says what to set.",
    ),
  EXTRA_ROOTS: roots
    .default([])
    .describe(
      "Certificates in PEM that HTTPS probes trust beside Mozilla's roots, such as those of private authorities; Cloudflare allows 5 KB.",
    ),
  RESOLVER_URL: z.url().default("https://cloudflare-dns.com/dns-query").describe("DNS over HTTPS (RFC 8484)."),
  CANARIES: z
    .string()
    .default("9.9.9.9:443,8.8.8.8:443,[2620:fe::9]:443,[2001:4860:4860::8888]:443")
    .transform((text) => text.split(",").filter((part) => part !== ""))
    .pipe(z.array(socketAddress))
    .describe(
      "The first two are dialled when most of a round fails, and the first two of IPv6 when all dials to IPv6 do; if they fail too, the trouble is ours.",
    ),
  COLO_URL: z
    .union([z.literal(""), z.url()])
    .default("https://www.cloudflare.com/cdn-cgi/trace")
    .describe("Tells a prober in which data centre it really runs; empty to leave that unknown."),
  EDGE_STALE_AFTER: duration(1_000, 24 * HOUR_MS)
    .default(300_000)
    .describe("As the agents have it: word leaves thrice within it; after a loss, clusters are awaited for it."),
  VEDETTE_RECONFIG_MAX_DELAY: duration(0, HOUR_MS).default(1_000).describe("Window in which changes are coalesced."),
  PROJECT_URL: z.url().default("https://vedette.dev").describe("Named in the User-Agent of probes."),
  NOTIFICATIONS: z
    .string()
    .optional()
    .describe("Who is told of troubles, as JSON: see [notifications](notifications.md). Nobody where it is absent."),
  PUBLIC_URL: publicUrl
    .optional()
    .describe("Where people open the view, such as `https://vedette.example.com`: notifications link to it."),
});

export const settingsSchema = fields.refine(
  ({ ADMIN_TOKEN, VIEW_TOKEN }) => VIEW_TOKEN === undefined || VIEW_TOKEN !== ADMIN_TOKEN,
  { path: ["VIEW_TOKEN"], error: "must be another than ADMIN_TOKEN: who may look is not who may change" },
);

/** A setting that is not as it should be; the text names field and rule, and never the value. */
export interface SettingFault {
  setting: string;
  text: string;
}

export type Settings = Omit<z.output<typeof settingsSchema>, "NOTIFICATIONS"> & {
  NOTIFICATIONS: NotificationTarget[];
  /** What is wrong in settings that the edge goes on without: see `ASIDE`. */
  faults: readonly SettingFault[];
};

/**
 * Who may read, who may change, who is notified. A mistake there must not stop a failover. The setting counts as absent, which
 * opens nothing. Of notification targets only the wrong ones are left out.
 */
const ASIDE: ReadonlySet<string> = new Set([
  "ADMIN_TOKEN",
  "PUBLIC_READS",
  "VIEW_TOKEN",
  "PUBLIC_VIEW",
  "PUBLIC_URL",
  "NOTIFICATIONS",
]);

/** Not quoted in errors. EXTRA_ROOTS is long, and a private key may be in it by mistake. */
const SECRETS: ReadonlySet<string> = new Set([...ASIDE, "HEADER_KEY", "HEADER_KEY_PREVIOUS", "EXTRA_ROOTS"]);

/**
 * Reads the settings from the Worker's bindings. Throws one error that names every wrong one, never a secret's value, unless
 * the edge can go on without them: those are in `faults`.
 */
export function readSettings(env: object): Settings {
  let given = Object.fromEntries(Object.keys(settingsSchema.shape).map((name) => [name, Reflect.get(env, name)]));
  const faults: SettingFault[] = [];
  let result = settingsSchema.safeParse(given);
  while (!result.success) {
    const found = faultsIn(result.error, given);
    if (found.some(({ setting }) => !ASIDE.has(setting))) {
      throw wrongSettings([...found, ...targetsIn(given.NOTIFICATIONS, true).faults]);
    }
    faults.push(...found);
    given = { ...given, ...Object.fromEntries(found.map(({ setting }) => [setting, undefined])) };
    result = settingsSchema.safeParse(given);
  }
  const { targets, faults: wrongTargets } = targetsIn(result.data.NOTIFICATIONS, result.data.ALLOW_PRIVATE_ADDRESSES);
  return { ...result.data, NOTIFICATIONS: targets, faults: [...faults, ...wrongTargets] };
}

function wrongSettings(faults: readonly SettingFault[]): Error {
  const text = faults.map((fault) => fault.text).join("; ");
  return new Error(`The settings of the Worker are wrong. ${text}. See workers/settings.ts.`);
}

/** Where targets may be depends on whether private addresses are allowed. */
function targetsIn(given: unknown, allowPrivate: boolean) {
  const text = typeof given === "string" ? given : "";
  const { targets, faults } = readTargets(text, "NOTIFICATIONS", (url) => webhookFault(url, allowPrivate));
  return { targets, faults: faults.map((fault) => ({ setting: "NOTIFICATIONS", text: formatFieldError(fault) })) };
}

function faultsIn(error: z.ZodError, given: object): SettingFault[] {
  return fieldErrors(error, given).map(({ value, ...fault }) => {
    const setting = fault.field.split(/[.[]/, 1)[0] ?? "";
    const isShown = value !== undefined && !SECRETS.has(setting);
    return { setting, text: formatFieldError(isShown ? { ...fault, value } : fault) };
  });
}
