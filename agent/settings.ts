import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import { canonicalAddress } from "../shared/model/address.ts";
import { duration, formatDurationMs } from "../shared/model/duration.ts";
import { fieldErrors } from "../shared/model/field-error.ts";
import { canonicalHost } from "../shared/model/host.ts";
import type { FieldError } from "../shared/model/problem.ts";
import { objectName } from "../shared/model/record.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

const port = (defaultPort: number) => z.coerce.number().int().min(0).max(65_535).default(defaultPort);
const list = z.string().transform((text) => text.split(",").map((part) => part.trim()));
const address = z.string().transform((text, context) => {
  const canonical = canonicalAddress(text);
  if (canonical !== undefined) return canonical;
  context.addIssue({ code: "custom", message: "must be an IP address of this machine, or 0.0.0.0 or :: for all" });
  return z.NEVER;
});

/** Signatures protect what an agent says; header secrets in its snapshots need TLS, except on this machine. */
const edgeUrl = z.string().superRefine((text, context) => {
  const url = URL.parse(text);
  const isLocal = url?.hostname === "localhost" || url?.hostname === "[::1]" || /^127\./.test(url?.hostname ?? "");
  if (url?.protocol !== "https:" && !(url?.protocol === "http:" && isLocal)) {
    context.addIssue({ code: "custom", message: "must be an https:// URL (http:// only to this machine)" });
  } else if (url.username !== "" || url.password !== "") {
    context.addIssue({ code: "custom", message: "must not hold a user or a password" });
  }
});

const WEBHOOK_SECRET = /^(whsec_)?[A-Za-z0-9+/]{32,}={0,2}$/;
const secret = z
  .string()
  .transform((text) => text.split(/\s+/).filter((part) => part !== ""))
  .refine((secrets) => secrets.length > 0 && secrets.length <= 2 && secrets.every((one) => WEBHOOK_SECRET.test(one)), {
    error: "must be the secret that registering the cluster returned (whsec_…), or two of them while rotating",
  });

const nameServer = z.string().transform((text, context) => {
  const [name = "", given] = text.split("=");
  const host = canonicalHost(name);
  const at = given === undefined ? undefined : canonicalAddress(given);
  if ("host" in host && (given === undefined || at !== undefined)) {
    return { name: host.host, ...(at !== undefined && { address: at }) };
  }
  context.addIssue({ code: "custom", message: "must hold name or name=address, such as ns1.example.com=203.0.113.5" });
  return z.NEVER;
});

/** Every setting of the agent: name, default, check and help in one place. */
export const settingsSchema = z.object({
  records: list
    .pipe(z.array(z.string().min(1)).min(1))
    .describe("File or folder with DNSRecord and Secret manifests (.yaml, .yml, .json); several with commas."),
  edgeUrl: edgeUrl.describe("Where the edge is, such as https://vedette.example.workers.dev."),
  cluster: objectName.describe("Name under which the cluster was registered at the edge."),
  secret: secret.describe(
    "What registering the cluster returned; here or in the secret file, never a flag, since ps shows those.",
  ),
  secretFile: z.string().min(1).optional().describe("File that holds the secret, instead of VEDETTE_SECRET."),
  state: z.string().min(1).optional().describe("State file. Default: beside the manifests."),
  clusterUid: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe("Identity of the cluster. Default: made once, kept in the state file."),
  pull: z.stringbool().prefault("false").describe("Ask the edge for deliveries instead of listening for its webhook."),
  pullIntervalMs: duration(SECOND_MS, MINUTE_MS).prefault("5s").describe("How often to ask, with pull."),
  webhookAddress: address.prefault("127.0.0.1").describe("Where deliveries, /healthz and /readyz are listened for."),
  webhookPort: port(8788).describe("Port for those."),
  dnsAddress: address.prefault("127.0.0.1").describe("Where the DNS server answers, UDP and TCP."),
  dnsPort: port(8753).describe("Port for DNS; 53 in production."),
  nameServers: list
    .pipe(z.array(nameServer).min(1))
    .optional()
    .describe("Name servers of the zones: name or name=address, with commas. Default: ns.<rootHost>."),
  negativeTtlMs: duration(SECOND_MS, DAY_MS)
    .prefault("1m")
    .describe("How long resolvers may keep that a name or type does not exist (RFC 2308)."),
  edgeStaleAfterMs: duration(SECOND_MS, DAY_MS)
    .prefault("5m")
    .describe("Without a delivery for so long, each record's whenSilent decides what is published."),
  reconfigMaxDelayMs: duration(0, 60 * MINUTE_MS)
    .prefault("1s")
    .describe("Window in which changes are gathered into one snapshot."),
  logFormat: z.enum(["text", "json"]).default("text").describe("Log lines for people or for machines."),
});
export type Settings = z.output<typeof settingsSchema>;

type Name = keyof typeof settingsSchema.shape;
const NAMES = Object.keys(settingsSchema.shape) as Name[];
const SWITCHES: readonly Name[] = ["pull"];
const ENVIRONMENT_ONLY: readonly Name[] = ["secret"];

/** Durations are kept in milliseconds under a name that says so, and given as text under one that need not. */
const words = (name: string) =>
  name
    .replace(/Ms$/, "")
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .split(" ");
const flagOf = (name: string) => `--${words(name).join("-")}`;
/** The environment variable of a setting: `VEDETTE_EDGE_URL` for `edgeUrl`. */
export const variableOf = (name: string) => `VEDETTE_${words(name).join("_").toUpperCase()}`;

/** Thrown for wrong settings; the message is for people, and says what to do next. */
export class SettingsError extends Error {
  override name = "SettingsError";
}

/**
 * Reads the settings from the command line (`process.argv` without the first two) and the environment; a flag goes
 * before its variable. `"help"` when help was asked for. Throws a {@link SettingsError} that names every wrong setting,
 * its value and the rule, and never a secret.
 */
export function readSettings(argv: readonly string[], environment: NodeJS.ProcessEnv): Settings | "help" {
  const flags = readFlags(argv);
  if (flags.help === true) return "help";
  const given = Object.fromEntries(NAMES.map((name) => [name, givenValue(name, flags, environment)]));
  const secretText = given.secretFile === undefined ? given.secret : readSecretFile(given.secretFile);
  const result = settingsSchema.safeParse({ ...given, secret: secretText });
  if (result.success) return result.data;
  const faults = fieldErrors(result.error, given).map(formatFault);
  throw new SettingsError(
    `The agent cannot start:\n${faults.join("\n")}\nRun it with --help for all settings and examples.`,
  );
}

type Flags = Record<string, string | boolean | string[] | undefined>;

function readFlags(argv: readonly string[]): Flags {
  const flags = NAMES.filter((name) => !ENVIRONMENT_ONLY.includes(name));
  const options = Object.fromEntries(
    flags.map((name) => {
      const type = SWITCHES.includes(name) ? ("boolean" as const) : ("string" as const);
      return [flagOf(name).slice(2), { type, multiple: name === "records" }];
    }),
  );
  try {
    return parseArgs({ args: [...argv], options: { ...options, help: { type: "boolean", short: "h" } } })
      .values as Flags;
  } catch (error) {
    if (argv.some((argument) => /^--secret(=|$)/.test(argument))) {
      throw new SettingsError(
        "--secret is no flag, since ps shows command lines. Use VEDETTE_SECRET or --secret-file.",
      );
    }
    throw new SettingsError(`${(error as Error).message}\nRun it with --help for all settings and examples.`);
  }
}

function givenValue(name: Name, flags: Flags, environment: NodeJS.ProcessEnv): string | undefined {
  const flag = flags[flagOf(name).slice(2)];
  if (flag !== undefined) return Array.isArray(flag) ? flag.join(",") : String(flag);
  return environment[variableOf(name)] || undefined;
}

function readSecretFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingsError(`--secret-file ${path} cannot be read (${code}). Check the path and its permissions.`);
  }
}

function formatFault({ field, value, rule }: FieldError): string {
  const name = field.split(/[.[]/)[0] ?? field;
  const where = name === "secret" ? "VEDETTE_SECRET or --secret-file" : `${flagOf(name)} or ${variableOf(name)}`;
  const isShown = value !== undefined && name !== "secret" && !value.includes("@");
  return `  ${where}: ${isShown ? `${value} ` : ""}${rule}`;
}

/** What `--help` prints: every setting with its flag, variable, default and meaning, and examples. */
export function helpText(): string {
  const rows = NAMES.map((name) => {
    const schema = settingsSchema.shape[name];
    const title = ENVIRONMENT_ONLY.includes(name) ? variableOf(name) : `${flagOf(name)}, ${variableOf(name)}`;
    return `  ${title}\n      ${schema.description}${defaultText(name)}`;
  });
  return `The Vedette agent: pushes a cluster's records to the edge, takes its decisions, answers DNS.

Usage: npx node agent/main.ts --records <path> --edge-url <url> --cluster <name> [settings]

${rows.join("\n")}

Examples:
  VEDETTE_SECRET=whsec_… npx node agent/main.ts --records ./records \\
      --edge-url https://vedette.example.workers.dev --cluster shop --webhook-address 0.0.0.0 --dns-address 0.0.0.0 --dns-port 53
  npx node agent/main.ts --records api.yaml --edge-url http://127.0.0.1:8787 --cluster local --secret-file secret.txt --pull
`;
}

function defaultText(name: Name): string {
  const { success, data } = settingsSchema.shape[name].safeParse(undefined);
  if (!success || data === undefined || data === false) return "";
  return ` Default: ${name.endsWith("Ms") ? formatDurationMs(Number(data)) : data}.`;
}
