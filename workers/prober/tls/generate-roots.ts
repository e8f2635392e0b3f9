/**
 * Writes Mozilla's certificate roots, as the Node that builds has them, to a module that Git ignores: `npm run
 * generate:roots`, wrangler's [build] command and vitest.config.ts. The runtime on the edge has none.
 */
import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { subjectKey } from "./subject-key.ts";
import { parseCertificate } from "./verify/certificate.ts";

const FILE = join(import.meta.dirname, "mozilla-roots.generated.ts");

const bySubject: Record<string, string[]> = {};
for (const pem of rootCertificates) {
  const der = new X509Certificate(pem).raw;
  const root = parseCertificate(der);
  if ("malformed" in root)
    throw new Error(`A root of Node ${process.version} cannot be read: ${root.malformed}\n${pem}`);
  const key = subjectKey(root.subject);
  bySubject[key] = [...(bySubject[key] ?? []), der.toString("base64")];
}

const text = `/** Mozilla's roots from Node ${process.version}, by subjectKey. Made by npm run generate:roots. */
export const MOZILLA_ROOTS: Readonly<Record<string, readonly string[]>> = ${JSON.stringify(bySubject, undefined, 1)};
`;

// Watchers and builds beside this one see the whole file or the one before.
if (!existsSync(FILE) || readFileSync(FILE, "utf8") !== text) {
  const draft = `${FILE}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, FILE);
}
