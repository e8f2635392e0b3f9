import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { formatDurationMs } from "../../shared/model/duration.ts";
import { fieldErrors } from "../../shared/model/field-error.ts";
import type { FieldError } from "../../shared/model/problem.ts";
import { checkedSettings, type Settings, settingsSchema } from "./settings-schema.ts";

type Name = keyof typeof settingsSchema.shape;
const NAMES = Object.keys(settingsSchema.shape) as Name[];
const SWITCHES: readonly Name[] = ["pull", "kubernetes"];
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
  const result = checkedSettings.safeParse({ ...given, secret: secretText });
  if (result.success) return result.data;
  const faults = fieldErrors(result.error, given).sort(byOrderInHelp).map(formatFault);
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

const nameIn = ({ field }: FieldError) => field.split(/[.[]/)[0] ?? field;
const placeInHelp = (fault: FieldError) => (NAMES as string[]).indexOf(nameIn(fault));
const byOrderInHelp = (a: FieldError, b: FieldError) => placeInHelp(a) - placeInHelp(b);

function formatFault(fault: FieldError): string {
  const { value, rule } = fault;
  const name = nameIn(fault);
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
  VEDETTE_SECRET=whsec_… npx node agent/main.ts --kubernetes --edge-url https://vedette.example.workers.dev --cluster shop
  npx node agent/main.ts --records api.yaml --edge-url http://127.0.0.1:8787 --cluster local --secret-file secret.txt --pull
`;
}

function defaultText(name: Name): string {
  const { success, data } = settingsSchema.shape[name].safeParse(undefined);
  if (!success || data === undefined || data === false) return "";
  return ` Default: ${name.endsWith("Ms") ? formatDurationMs(Number(data)) : data}.`;
}
