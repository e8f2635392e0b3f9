import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { Stop } from "./stop.ts";

/** Secrets without which an edge is of little use: workers/settings.ts has what each is for. */
export const SECRET_NAMES = ["ADMIN_TOKEN", "VIEW_TOKEN", "HEADER_KEY"] as const;
export type SecretName = (typeof SECRET_NAMES)[number];
export type Secrets = Partial<Record<SecretName, string>>;

export const isSecretName = (text: string): text is SecretName => (SECRET_NAMES as readonly string[]).includes(text);

/** What becomes of each secret: what the account has is kept, unless it is to be renewed. */
export interface SecretPlan {
  kept: SecretName[];
  set: { name: SecretName; from: "given" | "made" }[];
}

export function planSecrets(held: readonly string[], renewed: readonly string[], given: Secrets): SecretPlan {
  const kept = SECRET_NAMES.filter((name) => held.includes(name) && !renewed.includes(name));
  const set = SECRET_NAMES.filter((name) => !kept.includes(name)).map((name) => ({
    name,
    from: given[name] === undefined ? ("made" as const) : ("given" as const),
  }));
  return { kept, set };
}

/** The values to set: those given, checked by the rules of the edge's settings, and new ones. */
export function valuesOf(
  { set }: SecretPlan,
  given: Secrets,
  random: (bytes: number) => Buffer = randomBytes,
): Secrets {
  const values: Secrets = {};
  for (const { name } of set) {
    const value = given[name] ?? make(name, random);
    const fault = faultOf(name, value);
    if (fault !== undefined)
      throw new Stop(`${name} ${fault}.`, `Give another, or unset ${name}: a new one is made then.`);
    values[name] = value;
  }
  const { ADMIN_TOKEN, VIEW_TOKEN } = { ...given, ...values };
  if (ADMIN_TOKEN !== undefined && ADMIN_TOKEN === VIEW_TOKEN) {
    throw new Stop(
      "VIEW_TOKEN must be another than ADMIN_TOKEN: who may look is not who may change.",
      "Unset one of them.",
    );
  }
  return values;
}

const make = (name: SecretName, random: (bytes: number) => Buffer): string =>
  random(32).toString(name === "HEADER_KEY" ? "base64" : "base64url");

function faultOf(name: SecretName, value: string): string | undefined {
  if (name !== "HEADER_KEY")
    return /^[\x21-\x7e]{16,}$/.test(value) ? undefined : "must have 16 characters or more, and no blanks";
  const isKey = /^[A-Za-z0-9+/]{43}=$/.test(value);
  return isKey ? undefined : "must be 32 bytes in base64";
}

/** Those of the three that the environment has. */
export function secretsIn(env: NodeJS.ProcessEnv): Secrets {
  const given = SECRET_NAMES.map((name) => [name, env[name]?.trim()]).filter(([, value]) => value);
  return Object.fromEntries(given) as Secrets;
}

/** Stops where the file is there already: said before anything is deployed, it is said in time. */
export function refuseExisting(file: string): void {
  if (existsSync(file)) throw notWritten(file, "is there already");
}

/** Writes secrets to a file that its owner alone can read, a line each. One that is there already is not touched. */
export function writeSecrets(file: string, secrets: Secrets): void {
  const text = Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`);
  try {
    writeFileSync(file, text.join(""), { mode: 0o600, flag: "wx" });
    // The mode above is subject to the umask.
    chmodSync(file, 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw notWritten(file, code === "EEXIST" ? "is there already" : `cannot be written (${code})`);
  }
}

const notWritten = (file: string, why: string) =>
  new Stop(`The file ${file} ${why}.`, "No secret was set. Name another with --secrets-file.");
