import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { digest } from "../shared/hash.ts";
import type { StackPlan } from "./options.ts";
import { claim, PID_FILE } from "./pid-file.ts";
import { Refusal } from "./plan.ts";

export type StateFolder = {
  /** State and logs of this run: one folder for the demo, one for each set of the user's records. */
  state: string;
  /** File or folder of the records. */
  records: string;
  /** Records a process group that must not outlive the stack. */
  addGroup(group: number): void;
  release(): void;
};

const DEMO_RECORDS = join(import.meta.dirname, "demo", "records.yaml");

/** Claims the state folder for this process, empties it on request, and finds or places the records. */
export function prepareStateFolder(plan: StackPlan): StateFolder {
  const own = plan.records === undefined ? undefined : resolve(plan.records);
  if (own !== undefined && !existsSync(own)) throw new Refusal(`--records: there is no file or folder ${own}`);
  const root = resolve(plan.state);
  const claimed = claim(root);
  if ("runningAs" in claimed) {
    throw new Refusal(
      `A local stack already runs in ${root}, as process ${claimed.runningAs}: end it with Ctrl-C there or with ` +
        `kill ${claimed.runningAs}, or choose another folder with --state <folder> and other ports (--help)`,
    );
  }
  if (plan.fresh) empty(root);
  const state = join(root, own === undefined ? "demo" : `own-${digest(own).slice(0, 8)}`);
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const records = own ?? join(state, "records.yaml");
  if (own === undefined) placeDemoRecords(records, plan.ports.gateway);
  return { state, records, ...claimed };
}

/** Empties only what a stack made. A folder named by mistake keeps its files. */
function empty(root: string): void {
  const ours = readdirSync(root).filter((name) => name !== PID_FILE && /^(demo|own-[0-9a-f]{8})$/.test(name));
  for (const name of ours) rmSync(join(root, name), { recursive: true, force: true });
}

/** Copies the demo's record to where the user may edit it. An existing copy stays, unless the port of its gateways differs. */
function placeDemoRecords(copy: string, gatewayPort: number): void {
  const port = `port: ${gatewayPort}\n`;
  if (existsSync(copy) && readFileSync(copy, "utf8").includes(port)) return;
  writeFileSync(copy, readFileSync(DEMO_RECORDS, "utf8").replace(/port: \d+\n/, port));
}

/** Secrets of a local stack: made on the first run, kept with the state, readable only by the owner. */
export type Secrets = { adminToken: string; headerKey: string; clusterSecret?: string };

export function loadSecrets(folder: string): Secrets {
  try {
    return JSON.parse(readFileSync(join(folder, "secrets.json"), "utf8")) as Secrets;
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
  writeFileSync(join(folder, "secrets.json"), JSON.stringify(secrets), { mode: 0o600 });
}
