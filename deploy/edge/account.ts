import { z } from "zod";
import { stopOf } from "./refusals.ts";
import { Stop } from "./stop.ts";
import { askWrangler } from "./wrangler.ts";

const account = z.looseObject({ id: z.string(), name: z.string() });
const whoami = z.looseObject({ loggedIn: z.boolean(), accounts: z.array(account).default([]) });
const secretList = z.array(z.looseObject({ name: z.string() }));

/** No Worker of this name on the account. */
const WORKER_UNKNOWN = 10007;

/** The account that will be deployed to, by its name; undefined where nobody is logged in. */
export async function loggedInTo(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const ran = await askWrangler(["whoami", "--json"]);
  const read = whoami.safeParse(jsonOf(ran.stdout));
  if (!read.success) throw stopOf(ran, "asking who is logged in");
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
      "Look at CLOUDFLARE_ACCOUNT_ID: npx wrangler whoami lists those there are.",
    );
  }
  // A token that may not list accounts works all the same.
  return chosen[0]?.name ?? wanted ?? "the account of this token";
}

export const notLoggedIn = (): Stop =>
  new Stop(
    "Nobody is logged in to Cloudflare.",
    "Run npx wrangler login; or, where there is no browser, set CLOUDFLARE_API_TOKEN (template “Edit Cloudflare Workers”) and CLOUDFLARE_ACCOUNT_ID.",
  );

/** The names of the secrets that the Worker has on the account; none where there is no such Worker yet. */
export async function secretsHeld(): Promise<string[]> {
  const ran = await askWrangler(["secret", "list", "--format", "json"]);
  const read = secretList.safeParse(jsonOf(ran.stdout));
  if (ran.code === 0 && read.success) return read.data.map(({ name }) => name);
  const code = ran.outcomes.find(({ type }) => type === "command-failed")?.code;
  if (code === WORKER_UNKNOWN || /\[code: 10007\]/.test(ran.stdout + ran.stderr)) return [];
  throw stopOf(ran, "asking for the names of the Worker's secrets");
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
