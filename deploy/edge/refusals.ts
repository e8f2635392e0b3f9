import { stripVTControlCharacters } from "node:util";
import { Stop } from "./stop.ts";
import type { Ran } from "./wrangler.ts";

interface Refusal {
  /** Tests the error code of Cloudflare's API, or the output of wrangler. */
  is: (code: number | undefined, text: string) => boolean;
  message: string;
  next: string;
}

/** Known failures of wrangler with advice. The first match applies. */
const REFUSALS: readonly Refusal[] = [
  {
    // wrangler.toml sets a limit of CPU time, which only the paid plan accepts.
    is: (code, text) => code === 100328 || /not supported for the Free plan/i.test(text),
    message:
      "This account is on the Workers Free plan. Vedette needs Workers Paid: failovers would stop at the daily limits of the free plan.",
    next: "Change the plan at https://dash.cloudflare.com/?to=/:account/workers/plans, then run this again. docs/deploy.md has the reasons.",
  },
  {
    is: (code, text) => code === 10063 || /workers\.dev subdomain/i.test(text),
    message: "This account has no workers.dev subdomain yet. The edge needs one for its URL.",
    next: "Open Workers & Pages in the dashboard once to create it, or set a custom domain in wrangler.toml: docs/deploy.md.",
  },
  {
    is: (code) => code === 10000 || code === 9109 || code === 9106,
    message: "Cloudflare refused the request: the login or the API token lacks a right, or has expired.",
    next: "Run npx wrangler login, or create CLOUDFLARE_API_TOKEN from the template “Edit Cloudflare Workers”, for this account.",
  },
  {
    is: (code) => code === 10027,
    message: "The Worker exceeds the size limit of this account's plan.",
    next: "The limit of Workers Paid is 10 MB compressed. npm run build shows the size.",
  },
  {
    is: (_, text) => /more than one account/i.test(text),
    message: "This login has several accounts.",
    next: "Set CLOUDFLARE_ACCOUNT_ID to the right one. npx wrangler whoami lists them.",
  },
  {
    is: (_, text) => /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|fetch failed/i.test(text),
    message: "Cloudflare's API cannot be reached from here.",
    next: "Check this machine's network and proxy, then run this again.",
  },
];

/** Makes an error that says why wrangler failed and what to do. `doing` is what was tried, such as “deploying”. */
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
  const said = last === "" ? "See its output above." : `Its output:\n  ${last}`;
  return new Stop(
    `wrangler failed while ${doing}. ${said}`,
    "Fix the cause, then run this again. Nothing needs to be undone.",
  );
}

/** wrangler appends `[code: 10063]` to an error of the API. */
function codeIn(text: string): number | undefined {
  const found = /\[code: (\d+)\]/.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}
