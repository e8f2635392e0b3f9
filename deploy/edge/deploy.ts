import { rmSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { Command, InvalidArgumentError } from "commander";
import { isThisMachine } from "../../cli/edge/access.ts";
import { loggedInTo, notLoggedIn, secretsHeld } from "./account.ts";
import { askFor } from "./ask.ts";
import { stopOf } from "./refusals.ts";
import {
  isSecretName,
  planSecrets,
  refuseExisting,
  SECRET_NAMES,
  type SecretName,
  type SecretPlan,
  type Secrets,
  secretsIn,
  valuesOf,
  writeSecrets,
} from "./secrets.ts";
import { type Check, smokeTest } from "./smoke.ts";
import { Stop, toItsEnd } from "./stop.ts";
import { askWrangler, type Ran, showWrangler, urlIn } from "./wrangler.ts";

interface Options {
  dryRun?: true;
  url?: URL;
  secretsFile?: string;
  renew?: SecretName[];
  ask?: true;
}

/** A new Worker or secret takes a while until every place has it: the smoke test is tried again until then. */
const SPREAD_TRIES = 6;
const SPREAD_PAUSE_MS = 10_000;

const say = (text: string): void => void process.stderr.write(`${text}\n`);

function readOptions(argv: string[]): Options {
  return new Command("npm run deploy --")
    .description(
      "Deploys the edge to the Cloudflare account that wrangler is logged in to, gives it what secrets it lacks, and tries it. May be run again at any time.",
    )
    .option("--dry-run", "build, say what would be set, and change nothing; needs no account")
    .option(
      "--url <url>",
      "only try an edge that is deployed already; with VEDETTE_TOKEN also what wants a token",
      asUrl,
    )
    .option("--secrets-file <file>", "write new secrets into this file, readable by you alone, and not to the terminal")
    .option("--ask", "ask on the terminal for secrets that are missing, before new ones are made")
    .option(
      "--renew <name>",
      "set ADMIN_TOKEN or VIEW_TOKEN anew, though the account has one; may be repeated",
      asSecrets,
    )
    .addHelpText(
      "after",
      `
Secrets (${SECRET_NAMES.join(", ")}) that the account has are kept. Missing ones are taken from the environment variables of
the same names, with --ask from the terminal, else made. Where wrangler has no login: npx wrangler login, or CLOUDFLARE_API_TOKEN.

Examples:
  npm run deploy
  npm run deploy -- --secrets-file ~/vedette-secrets
  npm run deploy -- --renew VIEW_TOKEN
  VEDETTE_TOKEN=… npm run deploy -- --url https://vedette.example.workers.dev

Step by step: docs/deploy.md`,
    )
    .helpOption("-h, --help", "show help")
    .showHelpAfterError("Add --help for what there is.")
    .parse(argv)
    .opts<Options>();
}

function asUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new InvalidArgumentError("It must be an http(s) URL.");
  return url;
}

function asSecrets(text: string, before: SecretName[] = []): SecretName[] {
  if (text === "HEADER_KEY") {
    throw new InvalidArgumentError(
      "What it sealed could not be opened any more: docs/deploy.md, “Rotate the secrets”.",
    );
  }
  if (!isSecretName(text)) throw new InvalidArgumentError("It must be ADMIN_TOKEN or VIEW_TOKEN.");
  return [...before, text];
}

async function rehearse({ renew = [] }: Options, env: NodeJS.ProcessEnv): Promise<number> {
  const account = await loggedInTo(env);
  say(account === undefined ? "Nobody is logged in: an account without the Worker is assumed." : `Account: ${account}`);
  const given = secretsIn(env);
  const plan = planSecrets(account === undefined ? [] : await secretsHeld(), renew, given);
  valuesOf(plan, given);
  say(planText(plan, "would be"));
  succeed(await showWrangler(["deploy", "--dry-run"]), "building");
  say("\nNothing was changed. Without --dry-run it is deployed.");
  return 0;
}

async function deploy(options: Options, env: NodeJS.ProcessEnv): Promise<number> {
  const account = await loggedInTo(env);
  if (account === undefined) throw notLoggedIn();
  say(`Account: ${account}`);
  const held = await secretsHeld();
  const { renew = [] } = options;
  const given = { ...secretsIn(env) };
  if (options.ask) Object.assign(given, await askFor(madeOf(planSecrets(held, renew, given))));
  const plan = planSecrets(held, renew, given);
  const values = valuesOf(plan, given);
  if (options.secretsFile !== undefined && plan.set.length > 0) refuseExisting(options.secretsFile);
  const deployed = succeed(await showWrangler(["deploy"]), "deploying");
  // After it, since secrets belong to a Worker that is there; until then its routes are closed.
  await setSecrets(plan, values, options.secretsFile);
  const url = urlIn(deployed);
  if (url === undefined) {
    throw new Stop(
      "It is deployed, but wrangler names no URL of it.",
      "Try it with --url https://… where your routes lead to it.",
    );
  }
  say(`\nTrying ${url.origin}`);
  const token = env.VEDETTE_TOKEN ?? values.ADMIN_TOKEN ?? values.VIEW_TOKEN ?? given.ADMIN_TOKEN ?? given.VIEW_TOKEN;
  const code = tellSmoke(await smokeUntilSpread(url, token));
  if (code === 0) say(nextStep(url));
  return code;
}

function succeed(ran: Ran, doing: string): Ran {
  if (ran.code !== 0) throw stopOf(ran, doing);
  return ran;
}

async function setSecrets(plan: SecretPlan, values: Secrets, file: string | undefined): Promise<void> {
  say(planText(plan, "is"));
  if (plan.set.length === 0) return;
  // First the file: what is set and not written down is lost.
  if (file !== undefined) writeSecrets(file, values);
  const ran = await askWrangler(["secret", "bulk"], JSON.stringify(values));
  if (ran.code !== 0) {
    if (file !== undefined) rmSync(file);
    throw stopOf(ran, "setting the secrets");
  }
  if (file !== undefined) say(`They are in ${file}, which you alone can read. Move them to where you keep secrets.`);
  else tellMade(plan, values);
}

function planText({ kept, set }: SecretPlan, verb: string): string {
  const lines = set.map(({ name, from }) => `${name} ${verb} set, ${from === "made" ? "newly made" : "as given"}`);
  return ["", ...kept.map((name) => `${name} is on the account, and kept`), ...lines].join("\n");
}

const madeOf = ({ set }: SecretPlan): SecretName[] => set.filter(({ from }) => from === "made").map(({ name }) => name);

/** The user knows the secrets that the user provided. */
function tellMade(plan: SecretPlan, values: Secrets): void {
  const made = madeOf(plan).map((name) => `  ${name}=${values[name]}\n`);
  if (made.length === 0) return;
  process.stdout.write(
    `\nShown this once, and to be read back from nowhere. Keep them where you keep secrets, and clear this screen:\n\n${made.join("")}\n`,
  );
}

async function smokeUntilSpread(url: URL, token: string | undefined): Promise<Check[]> {
  let checks: Check[] = [];
  for (let tried = 1; ; tried += 1) {
    checks = await smokeTest(url, token, checks);
    if (tried >= SPREAD_TRIES || checks.every(({ fault }) => fault === undefined)) return checks;
    say("  not everywhere yet; once more in 10 s");
    await pause(SPREAD_PAUSE_MS);
  }
}

function tellSmoke(checks: readonly Check[]): number {
  for (const { name, fault, note } of checks) {
    say(`  ${fault === undefined ? "ok   " : "FAULT"}  ${name}${fault ? `: ${fault}` : note ? ` (${note})` : ""}`);
  }
  const faults = checks.filter(({ fault }) => fault !== undefined).length;
  if (faults > 0)
    say(`\n${faults} of ${checks.length} failed. What to look at: docs/deploy.md, “When the smoke test fails”.`);
  return faults > 0 ? 1 : 0;
}

/** A token goes nowhere where the network can read it. */
function tokenFor(url: URL, { VEDETTE_TOKEN }: NodeJS.ProcessEnv): string | undefined {
  if (!VEDETTE_TOKEN || url.protocol === "https:" || isThisMachine(url.hostname)) return VEDETTE_TOKEN;
  throw new Stop(
    `VEDETTE_TOKEN would go to ${url.origin} in clear.`,
    "Give an https:// URL with --url, or unset VEDETTE_TOKEN: the rest is tried without.",
  );
}

const nextStep = (url: URL): string => `
The edge runs: ${url.origin}/ is the view. Next, register a cluster:

  export VEDETTE_EDGE=${url.origin}
  read -rs VEDETTE_TOKEN && export VEDETTE_TOKEN      # the ADMIN_TOKEN
  npx vedette cluster add my-cluster --host '*.example.com' > webhook-secret.yaml

and put the agent into it: docs/kubernetes.md. What this account's platform really does: npm run check:edge.`;

process.exitCode = await toItsEnd(async () => {
  const options = readOptions(process.argv);
  const { env } = process;
  if (options.url !== undefined) return tellSmoke(await smokeTest(options.url, tokenFor(options.url, env)));
  return options.dryRun ? rehearse(options, env) : deploy(options, env);
});
