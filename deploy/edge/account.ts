import { z } from "zod";
import { stopOf } from "./refusals.ts";
import { Stop } from "./stop.ts";
import { askWrangler } from "./wrangler.ts";

const account = z.looseObject({ id: z.string(), name: z.string() });
const whoami = z.looseObject({ loggedIn: z.boolean(), accounts: z.array(account).default([]) });
const secretList = z.array(z.looseObject({ name: z.string() }));

/** Cloudflare's error code: the account has no Worker of this name. */
const WORKER_UNKNOWN = 10007;

/** The name of the account to deploy to; undefined if wrangler is not logged in. */
export async function loggedInTo(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const ran = await askWrangler(["whoami", "--json"]);
  const read = whoami.safeParse(jsonOf(ran.stdout));
  if (!read.success) throw stopOf(ran, "reading the login");
  const { loggedIn, accounts } = read.data;
  if (!loggedIn) return undefined;
  const wanted = env.CLOUDFLARE_ACCOUNT_ID;
  const chosen = wanted === undefined ? accounts : accounts.filter(({ id }) => id === wanted);
  if (chosen.length > 1) {
    const list = chosen.map(({ id, name }) => `${id} (${name})`).join(", ");
    throw new Stop("This login has several accounts.", `Set CLOUDFLARE_ACCOUNT_ID to one of ${list}.`);
  }
  if (wanted !== undefined && chosen.length === 0 && accounts.length > 0) {
    throw new Stop(
      `This login has no account ${wanted}.`,
      "Check CLOUDFLARE_ACCOUNT_ID. npx wrangler whoami lists the accounts.",
    );
  }
  // An API token may lack the right to list accounts, yet still be able to deploy.
  return chosen[0]?.name ?? wanted ?? "the account of this token";
}

export const notLoggedIn = (): Stop =>
  new Stop(
    "wrangler is not logged in to Cloudflare.",
    "Run npx wrangler login. Without a browser, set CLOUDFLARE_API_TOKEN (template “Edit Cloudflare Workers”) and CLOUDFLARE_ACCOUNT_ID.",
  );

/** The names of the Worker's secrets on the account; empty if the Worker does not exist yet. */
export async function existingSecrets(): Promise<string[]> {
  const ran = await askWrangler(["secret", "list", "--format", "json"]);
  const read = secretList.safeParse(jsonOf(ran.stdout));
  if (ran.code === 0 && read.success) return read.data.map(({ name }) => name);
  const code = ran.outcomes.find(({ type }) => type === "command-failed")?.code;
  if (code === WORKER_UNKNOWN || /\[code: 10007\]/.test(ran.stdout + ran.stderr)) return [];
  throw stopOf(ran, "listing the Worker's secrets");
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
