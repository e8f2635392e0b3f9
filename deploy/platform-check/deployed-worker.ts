import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { unstable_startWorker as startWorker } from "wrangler";
import { loggedInTo, notLoggedIn } from "../edge/account.ts";
import { stopOf } from "../edge/refusals.ts";
import { Stop } from "../edge/stop.ts";
import { askWrangler, urlIn } from "../edge/wrangler.ts";

/** The platform check, while it runs somewhere. */
export interface CheckWorker {
  url: URL;
  headers: Record<string, string>;
}

const CONFIG = join(import.meta.dirname, "wrangler.toml");
const CONFIG_ARGS = ["--config", CONFIG];
/** A new Worker takes some seconds until every data centre has it. */
const SPREAD_TRIES = 20;
const SPREAD_PAUSE_MS = 3_000;
const DELETE_IT = "Delete it with npx wrangler delete vedette-platform-check.";

const newToken = () => randomBytes(32).toString("base64url");
const workerAt = (url: URL, token: string): CheckWorker => ({ url, headers: { authorization: `Bearer ${token}` } });

/** Deploys the platform check to the account, with a token made for this run, and deletes it afterwards. */
export async function withDeployedWorker<Value>(
  env: NodeJS.ProcessEnv,
  say: (text: string) => void,
  use: (worker: CheckWorker) => Promise<Value>,
): Promise<Value> {
  const account = await loggedInTo(env);
  if (account === undefined) throw notLoggedIn();
  say(`Deploying vedette-platform-check to the account ${account}, for this run only.\n`);
  const interrupted = new Promise<never>((_, reject) => {
    process.once("SIGINT", () => reject(new Stop("Interrupted.", "Run this again at any time.")));
  });
  interrupted.catch(() => undefined);
  try {
    return await Promise.race([deploy().then(use), interrupted]);
  } finally {
    const deleted = await askWrangler(["delete", ...CONFIG_ARGS, "--force"]);
    if (deleted.code !== 0) say(`vedette-platform-check is still on the account. ${DELETE_IT}\n`);
  }
}

async function deploy(): Promise<CheckWorker> {
  const token = newToken();
  const folder = mkdtempSync(join(tmpdir(), "vedette-platform-check-"));
  try {
    const secrets = join(folder, "secrets.json");
    writeFileSync(secrets, JSON.stringify({ CHECK_TOKEN: token }), { mode: 0o600 });
    const ran = await askWrangler(["deploy", ...CONFIG_ARGS, "--secrets-file", secrets]);
    if (ran.code !== 0) throw stopOf(ran, "deploying the platform check");
    const url = urlIn(ran);
    if (url === undefined) throw new Stop("The platform check is deployed, but wrangler reports no URL.", DELETE_IT);
    await untilServing(workerAt(url, token));
    return workerAt(url, token);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Waits until the Worker accepts its token: it then refuses GET with 405. */
async function untilServing({ url, headers }: CheckWorker): Promise<void> {
  for (let tries = 0; tries < SPREAD_TRIES; tries += 1) {
    const response = await fetch(url, { headers }).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.status === 405) return;
    await pause(SPREAD_PAUSE_MS);
  }
  throw new Stop(`The platform check does not answer at ${url.origin}.`, "Run this again in a minute.");
}

/** Runs the platform check in workerd on this machine. */
export async function withLocalWorker<Value>(use: (worker: CheckWorker) => Promise<Value>): Promise<Value> {
  const token = newToken();
  process.env.WRANGLER_LOG ??= "error";
  process.env.CLOUDFLARE_CF_FETCH_ENABLED ??= "false";
  const worker = await startWorker({
    config: CONFIG,
    envFiles: [],
    bindings: {
      CHECK_TOKEN: { type: "secret_text", value: token },
      COLO_URL: { type: "plain_text", value: "" },
    },
    dev: {
      server: { hostname: "127.0.0.1", port: 0 },
      inspector: false,
      watch: false,
      persist: false,
      structuredLogsHandler: () => undefined,
    },
  });
  try {
    await worker.ready;
    return await use(workerAt(await worker.url, token));
  } finally {
    await worker.dispose();
  }
}
