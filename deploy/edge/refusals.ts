import { stripVTControlCharacters } from "node:util";
import { Stop } from "./stop.ts";
import type { Ran } from "./wrangler.ts";

interface Refusal {
  /** The error's number in Cloudflare's API, or words that wrangler says. */
  is: (code: number | undefined, text: string) => boolean;
  message: string;
  next: string;
}

/** What is known of why wrangler refuses, and what to do; the first that fits. */
const REFUSALS: readonly Refusal[] = [
  {
    // wrangler.toml names a limit of CPU time, which only the paid plan takes.
    is: (code, text) => code === 100328 || /not supported for the Free plan/i.test(text),
    message:
      "This account is on the Workers Free plan. Vedette needs Workers Paid: at the free plan's daily limits failovers would end.",
    next: "Change the plan at https://dash.cloudflare.com/?to=/:account/workers/plans, and run this again. Why: docs/deploy.md.",
  },
  {
    is: (code, text) => code === 10063 || /workers\.dev subdomain/i.test(text),
    message: "This account has no workers.dev subdomain yet, under which the edge would answer.",
    next: "Open Workers & Pages in the dashboard once, which makes one, or name a custom domain in wrangler.toml: docs/deploy.md.",
  },
  {
    is: (code) => code === 10000 || code === 9109 || code === 9106,
    message: "Cloudflare did not let wrangler do that: the login or the API token lacks a right, or has ended.",
    next: "Run npx wrangler login, or make CLOUDFLARE_API_TOKEN from the template “Edit Cloudflare Workers”, for this account.",
  },
  {
    is: (code) => code === 10027,
    message: "The Worker is larger than this account's plan takes.",
    next: "Workers Paid takes 10 MB compressed; npm run build shows the size.",
  },
  {
    is: (_, text) => /more than one account/i.test(text),
    message: "This login has several accounts.",
    next: "Set CLOUDFLARE_ACCOUNT_ID to the one that is meant: npx wrangler whoami lists them.",
  },
  {
    is: (_, text) => /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|fetch failed/i.test(text),
    message: "Cloudflare's API cannot be reached from here.",
    next: "Look at this machine's network and proxy, and run this again.",
  },
];

/** Why wrangler failed, as text, with what to do. @param doing what was tried, as in “deploying” */
export function stopOf(ran: Ran, doing: string): Stop {
  const failed = ran.outcomes.find(({ type }) => type === "command-failed");
  const text = stripVTControlCharacters([failed?.message, ran.stderr, ran.stdout].filter(Boolean).join("\n")).trim();
  const code = failed?.code ?? codeIn(text);
  const known = REFUSALS.find(({ is }) => is(code, text));
  if (known !== undefined) return new Stop(known.message, known.next);
  const last = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(-6)
    .join("\n  ");
  const said = last === "" ? "See what it says above." : `It says:\n  ${last}`;
  return new Stop(
    `wrangler failed while ${doing}. ${said}`,
    "Mend that, and run this again: nothing needs to be undone.",
  );
}

/** wrangler ends what the API says with `[code: 10063]`. */
function codeIn(text: string): number | undefined {
  const found = /\[code: (\d+)\]/.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}
