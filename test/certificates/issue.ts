import { execFile } from "node:child_process";
import { generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A certificate and its private key, in PEM. */
export interface Issued {
  certificate: string;
  key: string;
}

export interface Wanted {
  /** As openssl's -subj takes it: `/O=Vedette/CN=Root`. */
  subject: string;
  /** Lines of openssl's x509v3_config; without any the certificate is of version 1. */
  extensions?: readonly string[];
  /** Sections that the extensions refer to. */
  sections?: string;
  /** Self-signed without. */
  issuer?: Issued;
  key: string;
  startMs?: number;
  endMs?: number;
  digest?: string;
  signing?: readonly string[];
}

const HOUR_MS = 3_600_000;
const CONFIG = `[ca]
default_ca = authority
[authority]
database = index.txt
new_certs_dir = .
serial = serial
unique_subject = no
email_in_dn = no
policy = any
[any]
countryName = optional
organizationName = optional
organizationalUnitName = optional
commonName = optional
`;

/** Makes a certificate with openssl, which knows nothing of how Vedette reads one. */
export async function issue(wanted: Wanted): Promise<Issued> {
  const folder = await mkdtemp(join(tmpdir(), "vedette-certificates-"));
  const write = (name: string, text: string) => writeFile(join(folder, name), text, { mode: 0o600 });
  const openssl = (args: string[]) => run("openssl", args, { cwd: folder });
  try {
    const extensions = (wanted.extensions ?? []).join("\n");
    await write("ca.cnf", CONFIG);
    await write("index.txt", "");
    await write("serial", `40${randomBytes(8).toString("hex")}`);
    await write("key.pem", wanted.key);
    await write("extensions.cnf", `[wanted]\n${extensions}\n${wanted.sections ?? ""}`);
    await write("issuer.pem", wanted.issuer?.certificate ?? "");
    await write("issuer-key.pem", wanted.issuer?.key ?? wanted.key);
    await openssl(["req", "-new", "-key", "key.pem", "-subj", wanted.subject, "-out", "request.pem"]);
    await openssl([
      ...["ca", "-batch", "-notext", "-preserveDN", "-config", "ca.cnf", "-in", "request.pem"],
      ...["-startdate", openSslTime(wanted.startMs ?? Date.now() - HOUR_MS)],
      ...["-enddate", openSslTime(wanted.endMs ?? Date.now() + 24 * HOUR_MS)],
      ...["-md", wanted.digest ?? "sha256", "-keyfile", "issuer-key.pem", "-out", "certificate.pem"],
      ...(wanted.issuer ? ["-cert", "issuer.pem"] : ["-selfsign"]),
      ...(extensions === "" ? [] : ["-extensions", "wanted", "-extfile", "extensions.cnf"]),
      ...(wanted.signing ?? []).flatMap((option) => ["-sigopt", option]),
    ]);
    return { certificate: await readFile(join(folder, "certificate.pem"), "utf8"), key: wanted.key };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** GeneralizedTime from 2050 on is openssl's business. */
function openSslTime(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, "");
}

const pem = (key: KeyObject) => String(key.export({ type: "pkcs8", format: "pem" }));

const rsaKeys = new Map<number, string>();

/** One for each size: making them takes long. */
export function rsaKey(bits = 2_048): string {
  const key = rsaKeys.get(bits) ?? pem(generateKeyPairSync("rsa", { modulusLength: bits }).privateKey);
  rsaKeys.set(bits, key);
  return key;
}

/** `curve` by openssl's name, such as `P-256` or `secp256k1`. */
export function ecKey(curve = "P-256"): string {
  return pem(generateKeyPairSync("ec", { namedCurve: curve }).privateKey);
}

export function ed25519Key(): string {
  return pem(generateKeyPairSync("ed25519").privateKey);
}
