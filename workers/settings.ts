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

/** All settings of the edge: name, default, validation and help in one place. */
const fields = z.object({
  ADMIN_TOKEN: z
    .string()
    .min(16)
    .optional()
    .describe("Bearer token of the admin routes, 16 characters or more. Without it, these routes are closed."),
  PUBLIC_READS: flag.describe("Serve the read routes without the admin token. Cluster routes always need it."),
  VIEW_TOKEN: z
    .string()
    .min(16)
    .optional()
    .describe("Token for the view and the read routes only; 16 characters or more, different from ADMIN_TOKEN."),
  PUBLIC_VIEW: z
    .enum(["off", "overview", "overview-without-addresses"])
    .default("off")
    .describe("What is visible without a token: nothing, the overview, or the overview with hidden addresses."),
  HEADER_KEY: headerKey
    .optional()
    .describe("32 bytes in base64 that encrypt header secrets. Without it, probes that need them rest."),
  HEADER_KEY_ID: z
    .string()
    .min(1)
    .default("1")
    .describe("Id of HEADER_KEY, stored with each secret that it encrypted."),
  HEADER_KEY_PREVIOUS: headerKey.optional().describe("The previous key, still used for decryption during a rotation."),
  HEADER_KEY_PREVIOUS_ID: z.string().optional(),
  PARTITIONS: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe(
      "Number of coordinators; set once, at install. A later change has no effect, and each cluster's conditions report it.",
    ),
  ALLOW_PRIVATE_ADDRESSES: flag.describe("Probe private and loopback addresses. For a local stack only."),
  ALLOWED_PORTS: allowedPorts
    .prefault("1-65535")
    .describe(
      "Ports that may be probed, such as `80,443,8000-8999`. Port 25 is never probed: the platform refuses it.",
    ),
  MAX_REQUESTS_PER_ADDRESS: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(100)
    .describe(
      "Limit of requests per second from one partition to one address or host name, from all regions together. Near the limit, confirmations are less frequent. Beyond it, the newest records are published unprobed.",
    ),
  MAX_LEAVES_PER_CLUSTER: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(10_000)
    .describe("Limit of leaves in one cluster's snapshot; records beyond it are refused."),
  PLAN: z
    .enum(["paid", "free"])
    .default("paid")
    .describe(
      "Cloudflare's plan. On the free plan, usage is compared with its daily limits, and an alert is raised near a limit.",
    ),
  DIALS_TOGETHER: z.coerce
    .number()
    .int()
    .min(1)
    .max(5)
    .default(1)
    .describe(
      "Concurrent dials of proven addresses in each loopback call of a prober. Set it above 1 only if Cloudflare counts these dials separately from the prober's own six. Rounds are then shorter and cost less. `npm run check:edge` measures this and recommends a value.",
    ),
  EXTRA_ROOTS: roots
    .default([])
    .describe(
      "Certificates in PEM that HTTPS probes trust besides Mozilla's roots, such as private authorities; Cloudflare allows 5 KB.",
    ),
  RESOLVER_URL: z.url().default("https://cloudflare-dns.com/dns-query").describe("DNS over HTTPS (RFC 8484)."),
  CANARIES: z
    .string()
    .default("9.9.9.9:443,8.8.8.8:443,[2620:fe::9]:443,[2001:4860:4860::8888]:443")
    .transform((text) => text.split(",").filter((part) => part !== ""))
    .pipe(z.array(socketAddress))
    .describe(
      "Reference addresses. The first two are dialed if most of a round fails, the first two of IPv6 if all IPv6 dials fail. If they fail too, the fault is the prober's.",
    ),
  COLO_URL: z
    .union([z.literal(""), z.url()])
    .default("https://www.cloudflare.com/cdn-cgi/trace")
    .describe("URL that tells a prober its data centre; empty to leave the data centre unknown."),
  EDGE_STALE_AFTER: duration(1_000, 24 * HOUR_MS)
    .default(300_000)
    .describe(
      "Must match the agents' setting. The edge sends at least three contacts per period, and waits this long for clusters after losing its storage.",
    ),
  VEDETTE_RECONFIG_MAX_DELAY: duration(0, HOUR_MS)
    .default(1_000)
    .describe("How long changes are collected before they are sent."),
  PROJECT_URL: z.url().default("https://vedette.dev").describe("Named in the User-Agent of probes."),
  NOTIFICATIONS: z
    .string()
    .optional()
    .describe(
      "Receivers of alerts, as JSON: see [notifications](notifications.md). Without it, no notifications are sent.",
    ),
  PUBLIC_URL: publicUrl
    .optional()
    .describe("Public URL of the view, such as `https://vedette.example.com`; notifications link to it."),
});

export const settingsSchema = fields.refine(
  ({ ADMIN_TOKEN, VIEW_TOKEN }) => VIEW_TOKEN === undefined || VIEW_TOKEN !== ADMIN_TOKEN,
  { path: ["VIEW_TOKEN"], error: "must differ from ADMIN_TOKEN: read access must not grant write access" },
);

/** An invalid setting. The text names the field and the rule, never the value. */
export interface SettingFault {
  setting: string;
  text: string;
}

export type Settings = Omit<z.output<typeof settingsSchema>, "NOTIFICATIONS"> & {
  NOTIFICATIONS: NotificationTarget[];
  /** Faults of settings that the edge can continue without: see `OPTIONAL`. */
  faults: readonly SettingFault[];
};

/**
 * Access and notification settings. A mistake there must not stop a failover, so an invalid one counts as absent, which
 * grants nothing. Only invalid notification targets are left out.
 */
const OPTIONAL: ReadonlySet<string> = new Set([
  "ADMIN_TOKEN",
  "PUBLIC_READS",
  "VIEW_TOKEN",
  "PUBLIC_VIEW",
  "PUBLIC_URL",
  "NOTIFICATIONS",
]);

/** Values that errors never show. EXTRA_ROOTS is long, and may contain a private key by mistake. */
const SECRETS: ReadonlySet<string> = new Set([...OPTIONAL, "HEADER_KEY", "HEADER_KEY_PREVIOUS", "EXTRA_ROOTS"]);

/**
 * Reads the settings from the Worker's bindings. Throws one error that names every invalid setting, never a secret's
 * value. Settings that the edge can continue without are in `faults` instead.
 */
export function readSettings(env: object): Settings {
  let given = Object.fromEntries(Object.keys(settingsSchema.shape).map((name) => [name, Reflect.get(env, name)]));
  const faults: SettingFault[] = [];
  let result = settingsSchema.safeParse(given);
  while (!result.success) {
    const found = faultsIn(result.error, given);
    if (found.some(({ setting }) => !OPTIONAL.has(setting))) {
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
  return new Error(`The settings of the Worker are invalid. ${text}. See workers/settings.ts.`);
}

/** Validation of targets depends on whether private addresses are allowed. */
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
