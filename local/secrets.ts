import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What the parts of a local stack share; made on the first run, kept with the state, readable by its owner only. */
export type Secrets = { adminToken: string; headerKey: string; clusterSecret?: string };

export function loadSecrets(folder: string): Secrets {
  try {
    return JSON.parse(readFileSync(pathIn(folder), "utf8")) as Secrets;
  } catch {
    const secrets = {
      adminToken: randomBytes(24).toString("base64url"),
      headerKey: randomBytes(32).toString("base64"),
    };
    saveSecrets(folder, secrets);
    return secrets;
  }
}

export function saveSecrets(folder: string, secrets: Secrets): void {
  writeFileSync(pathIn(folder), JSON.stringify(secrets), { mode: 0o600 });
}

const pathIn = (folder: string) => join(folder, "secrets.json");
