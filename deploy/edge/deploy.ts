import { rmSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { Command, InvalidArgumentError } from "commander";
import { isThisMachine } from "../../cli/edge/access.ts";
import { existingSecrets, loggedInTo, notLoggedIn } from "./account.ts";
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

/** A new Worker or secret takes a while to reach every location. The smoke test is repeated until then. */
const SPREAD_TRIES = 6;
const SPREAD_PAUSE_MS = 10_000;

const say = (text: string): void => void process.stderr.write(`${text}\n`);

function readOptions(argv: string[]): Options {
  return new Command("npm run deploy --")
    .description(
      "Deploys the edge to the Cloudflare account that wrangler is logged in to, sets missing secrets, and runs a smoke test. It can be run again at any time.",
    )
    .option("--dry-run", "build and show what would be set, without any change; needs no account")
    .option(
      "--url <url>",
      "only run the smoke test on a deployed edge; VEDETTE_TOKEN enables the check with a token",
      asUrl,
    )
    .option("--secrets-file <file>", "write new secrets to this file, which only you can read, instead of the terminal")
    .option("--ask", "prompt for missing secrets instead of generating all of them")
    .option("--renew <name>", "replace ADMIN_TOKEN or VIEW_TOKEN on the account; can be repeated", asSecrets)
    .addHelpText(
      "after",
      `
Secrets (${SECRET_NAMES.join(", ")}) on the account are kept. Missing ones come from the environment variables of the same
names, from the terminal with --ask, or are generated. To log in, run npx wrangler login or set CLOUDFLARE_API_TOKEN.

Examples:
  npm run deploy
  npm run deploy -- --secrets-file ~/vedette-secrets
  npm run deploy -- --renew VIEW_TOKEN
  VEDETTE_TOKEN=… npm run deploy -- --url https://vedette.example.workers.dev

Step by step: docs/deploy.md`,
    )
    .helpOption("-h, --help", "show help")
    .showHelpAfterError("Run with --help for all options.")
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
      "Values that the old key sealed could not be opened any more: docs/deploy.md, “Rotate the secrets”.",
    );
  }
  if (!isSecretName(text)) throw new InvalidArgumentError("It must be ADMIN_TOKEN or VIEW_TOKEN.");
  return [...before, text];
}

async function rehearse({ renew = [] }: Options, env: NodeJS.ProcessEnv): Promise<number> {
  const account = await loggedInTo(env);
  say(
    account === undefined
      ? "wrangler is not logged in. This run assumes an account without the Worker."
      : `Account: ${account}`,
  );
  const given = secretsIn(env);
  const plan = planSecrets(account === undefined ? [] : await existingSecrets(), renew, given);
  valuesOf(plan, given);
  say(planText(plan, "would be"));
  succeed(await showWrangler(["deploy", "--dry-run"]), "building");
  say("\nNothing was changed. Run without --dry-run to deploy.");
  return 0;
}

async function deploy(options: Options, env: NodeJS.ProcessEnv): Promise<number> {
  const account = await loggedInTo(env);
  if (account === undefined) throw notLoggedIn();
  say(`Account: ${account}`);
  const existing = await existingSecrets();
  const { renew = [] } = options;
  const given = { ...secretsIn(env) };
  if (options.ask) Object.assign(given, await askFor(madeOf(planSecrets(existing, renew, given))));
  const plan = planSecrets(existing, renew, given);
  const values = valuesOf(plan, given);
  if (options.secretsFile !== undefined && plan.set.length > 0) refuseExisting(options.secretsFile);
  const deployed = succeed(await showWrangler(["deploy"]), "deploying");
  // Secrets need an existing Worker. Its routes refuse requests until the secrets are set.
  await setSecrets(plan, values, options.secretsFile);
  const url = urlIn(deployed);
  if (url === undefined) {
    throw new Stop(
      "The edge is deployed, but wrangler reports no URL.",
      "Run this with --url https://…, the URL of your route.",
    );
  }
  say(`\nSmoke test of ${url.origin}`);
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
  // The file is written first, since a secret cannot be read back after it is set.
  if (file !== undefined) writeSecrets(file, values);
  const ran = await askWrangler(["secret", "bulk"], JSON.stringify(values));
  if (ran.code !== 0) {
    if (file !== undefined) rmSync(file);
    throw stopOf(ran, "setting the secrets");
  }
  if (file !== undefined) say(`The secrets are in ${file}, which only you can read. Move them to your secret store.`);
  else tellMade(plan, values);
}

function planText({ kept, set }: SecretPlan, verb: string): string {
  const lines = set.map(({ name, from }) => `${name} ${verb} set, ${from === "made" ? "generated" : "as provided"}`);
  return ["", ...kept.map((name) => `${name} is on the account and kept`), ...lines].join("\n");
}

const madeOf = ({ set }: SecretPlan): SecretName[] => set.filter(({ from }) => from === "made").map(({ name }) => name);

/** Prints only the new secrets, since the user knows the ones that the user provided. */
function tellMade(plan: SecretPlan, values: Secrets): void {
  const made = madeOf(plan).map((name) => `  ${name}=${values[name]}\n`);
  if (made.length === 0) return;
  process.stdout.write(
    `\nShown only once: these secrets cannot be read back. Save them in your secret store, then clear this screen:\n\n${made.join("")}\n`,
  );
}

async function smokeUntilSpread(url: URL, token: string | undefined): Promise<Check[]> {
  let checks: Check[] = [];
  for (let tried = 1; ; tried += 1) {
    checks = await smokeTest(url, token, checks);
    if (tried >= SPREAD_TRIES || checks.every(({ fault }) => fault === undefined)) return checks;
    say("  not ready everywhere yet, retrying in 10 s");
    await pause(SPREAD_PAUSE_MS);
  }
}

function tellSmoke(checks: readonly Check[]): number {
  for (const { name, fault, note } of checks) {
    say(`  ${fault === undefined ? "ok   " : "FAULT"}  ${name}${fault ? `: ${fault}` : note ? ` (${note})` : ""}`);
  }
  const faults = checks.filter(({ fault }) => fault !== undefined).length;
  if (faults > 0) say(`\n${faults} of ${checks.length} failed. See docs/deploy.md, “When the smoke test fails”.`);
  return faults > 0 ? 1 : 0;
}

/** The token for the smoke test. It is never sent over a network unencrypted. */
function tokenFor(url: URL, { VEDETTE_TOKEN }: NodeJS.ProcessEnv): string | undefined {
  if (!VEDETTE_TOKEN || url.protocol === "https:" || isThisMachine(url.hostname)) return VEDETTE_TOKEN;
  throw new Stop(
    `VEDETTE_TOKEN would be sent to ${url.origin} unencrypted.`,
    "Use an https:// URL with --url, or unset VEDETTE_TOKEN to run the checks that need no token.",
  );
}

const nextStep = (url: URL): string => `
The edge runs. Its dashboard is ${url.origin}/. Next, register a cluster:

  export VEDETTE_EDGE=${url.origin}
  read -rs VEDETTE_TOKEN && export VEDETTE_TOKEN      # the ADMIN_TOKEN
  npx vedette cluster add my-cluster --host '*.example.com' > webhook-secret.yaml

Then install the agent: docs/kubernetes.md. To check the platform of this account, run npm run check:edge.`;

process.exitCode = await toItsEnd(async () => {
  const options = readOptions(process.argv);
  const { env } = process;
  if (options.url !== undefined) return tellSmoke(await smokeTest(options.url, tokenFor(options.url, env)));
  return options.dryRun ? rehearse(options, env) : deploy(options, env);
});
