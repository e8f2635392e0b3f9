import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { Stop } from "./stop.ts";

/** Secrets that every edge should have. workers/settings.ts explains each one. */
export const SECRET_NAMES = ["ADMIN_TOKEN", "VIEW_TOKEN", "HEADER_KEY"] as const;
export type SecretName = (typeof SECRET_NAMES)[number];
export type Secrets = Partial<Record<SecretName, string>>;

export const isSecretName = (text: string): text is SecretName => (SECRET_NAMES as readonly string[]).includes(text);

/** The plan for each secret. Secrets on the account are kept, unless they are renewed. */
export interface SecretPlan {
  kept: SecretName[];
  set: { name: SecretName; from: "given" | "made" }[];
}

export function planSecrets(existing: readonly string[], renewed: readonly string[], given: Secrets): SecretPlan {
  const kept = SECRET_NAMES.filter((name) => existing.includes(name) && !renewed.includes(name));
  const set = SECRET_NAMES.filter((name) => !kept.includes(name)).map((name) => ({
    name,
    from: given[name] === undefined ? ("made" as const) : ("given" as const),
  }));
  return { kept, set };
}

/** The values to set, provided or new. They must follow the rules of the edge's settings. */
export function valuesOf(
  { set }: SecretPlan,
  given: Secrets,
  random: (bytes: number) => Buffer = randomBytes,
): Secrets {
  const values: Secrets = {};
  for (const { name } of set) {
    const value = given[name] ?? make(name, random);
    const fault = faultOf(name, value);
    if (fault !== undefined) throw new Stop(`${name} ${fault}.`, `Set another, or unset ${name} to generate one.`);
    values[name] = value;
  }
  const { ADMIN_TOKEN, VIEW_TOKEN } = { ...given, ...values };
  if (ADMIN_TOKEN !== undefined && ADMIN_TOKEN === VIEW_TOKEN) {
    throw new Stop("VIEW_TOKEN must differ from ADMIN_TOKEN, since it grants read access only.", "Unset one of them.");
  }
  return values;
}

const make = (name: SecretName, random: (bytes: number) => Buffer): string =>
  random(32).toString(name === "HEADER_KEY" ? "base64" : "base64url");

function faultOf(name: SecretName, value: string): string | undefined {
  if (name !== "HEADER_KEY")
    return /^[\x21-\x7e]{16,}$/.test(value) ? undefined : "must have at least 16 characters and no spaces";
  const isKey = /^[A-Za-z0-9+/]{43}=$/.test(value);
  return isKey ? undefined : "must be 32 bytes in base64";
}

/** The secrets that the environment provides. */
export function secretsIn(env: NodeJS.ProcessEnv): Secrets {
  const given = SECRET_NAMES.map((name) => [name, env[name]?.trim()]).filter(([, value]) => value);
  return Object.fromEntries(given) as Secrets;
}

/** Fails if the file exists already. It is called before anything is deployed. */
export function refuseExisting(file: string): void {
  if (existsSync(file)) throw notWritten(file, "already exists");
}

/** Writes secrets to a file that only its owner can read, one per line. An existing file is not changed. */
export function writeSecrets(file: string, secrets: Secrets): void {
  const text = Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`);
  try {
    writeFileSync(file, text.join(""), { mode: 0o600, flag: "wx" });
    // The mode above is subject to the umask.
    chmodSync(file, 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw notWritten(file, code === "EEXIST" ? "already exists" : `cannot be written (${code})`);
  }
}

const notWritten = (file: string, why: string) =>
  new Stop(`The file ${file} ${why}.`, "No secret was set. Choose another file with --secrets-file.");
