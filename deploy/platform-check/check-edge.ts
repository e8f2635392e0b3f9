import { join } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { unstable_readConfig as readConfig } from "wrangler";
import { listOf } from "../../cli/command.ts";
import { accessOf } from "../../cli/edge/access.ts";
import { table } from "../../cli/output/table.ts";
import { REGIONS, type Region } from "../../shared/model/region.ts";
import { smokeTest } from "../edge/smoke.ts";
import { Stop, toItsEnd } from "../edge/stop.ts";
import { ASSUMPTIONS, judgePlacement } from "./assumptions.ts";
import { type CheckWorker, withDeployedWorker, withLocalWorker } from "./deployed-worker.ts";
import type { Finding } from "./finding.ts";
import { checkAnswer, checkRequest, type Figures, MEASUREMENTS, type Measurement } from "./protocol.ts";

interface Options {
  local?: true;
  edge?: string;
  tokenFile?: string;
  region: Region;
  places?: Region[];
  only?: Measurement[];
  open?: string;
  closedPort?: string;
  blackHole?: string;
  ipv6?: string;
  tls?: string;
  tlsHost?: string;
  idle: number;
  output: "table" | "json";
}

interface Row extends Finding {
  measurement: string;
  expected: string;
  figures?: Figures;
}

/** Longer than the Worker allows a measurement. */
const LIMIT_MS = 120_000;
const EDGE_CONFIG = join(import.meta.dirname, "..", "..", "wrangler.toml");
const VERDICT_TEXTS = { assumed: "as assumed", otherwise: "OTHERWISE", unknown: "unknown" } as const;

const say = (text: string): void => void process.stderr.write(text);

function readOptions(argv: string[]): Options {
  return new Command("npm run check:edge --")
    .description(
      "Measures Cloudflare's platform with a Worker of its own, and reports where it differs from what Vedette's design assumes. Deploys vedette-platform-check to the account that wrangler is logged in to, and deletes it at the end. Takes about three minutes. Makes about 130 dials to public addresses, most of them to one that never answers.",
    )
    .option("--local", "measure workerd on this machine, without an account")
    .addOption(new Option("--edge <url>", "also run the smoke test on this edge").env("VEDETTE_EDGE"))
    .option("--token-file <file>", "a file with the edge's token, - for standard input (default: VEDETTE_TOKEN)")
    .addOption(new Option("--region <region>", "where to measure").choices(REGIONS).default("weur"))
    .addOption(
      new Option("--places <regions>", "regions whose location to check, with commas (default: all)").argParser(
        listOf(REGIONS),
      ),
    )
    .addOption(
      new Option("--only <measurements>", `only these, with commas: ${MEASUREMENTS.join(", ")}`).argParser(
        listOf(MEASUREMENTS),
      ),
    )
    .option("--open <address:port>", "accepts connections (default: 9.9.9.9:443)")
    .option("--closed-port <address:port>", "refuses connections (default: 45.33.32.156:1, which is scanme.nmap.org)")
    .option("--black-hole <address:port>", "never answers (default: 8.8.8.8:81)")
    .option("--ipv6 <[address]:port>", "accepts connections over IPv6 (default: [2620:fe::9]:443)")
    .option("--tls <address:port>", "speaks HTTP/1.1 over TLS (default: 8.8.8.8:443)")
    .option("--tls-host <host>", "the name in its certificate (default: dns.google)")
    .option("--idle <seconds>", "how long objects get no request before they should sleep, at most 30", seconds, 14)
    .addOption(new Option("-o, --output <format>", "output format").choices(["table", "json"]).default("table"))
    .addHelpText("after", HELP)
    .helpOption("-h, --help", "show help")
    .showHelpAfterError("Run with --help for all options.")
    .parse(argv)
    .opts<Options>();
}

const HELP = `
Exits with 1 if anything differs from the assumption. The purpose of each assumption: docs/platform.md.

Examples:
  npm run check:edge
  npm run check:edge -- --only black-hole,black-hole-held,seventh-dial --black-hole 8.8.4.4:81
  npm run check:edge -- --local --only alarms,rows,cpu`;

function seconds(text: string): number {
  const value = Number(text);
  if (!(value >= 0.1 && value <= 30)) throw new InvalidArgumentError("It must be a number of seconds, from 0.1 to 30.");
  return value;
}

/** The part of a request that all measurements share. */
function requestOf({ open, closedPort, blackHole, ipv6, tls, tlsHost, idle }: Options): object {
  const targets = { open, closedPort, blackHole, ipv6, tls, tlsHost };
  const request = { targets, idleMs: idle * 1_000 };
  const { error } = checkRequest.safeParse({ measurement: "rows", ...request });
  const [issue] = error?.issues ?? [];
  if (issue === undefined) return request;
  throw new Stop(`${issue.path.join(".")}: ${issue.message}`, "See --help for the form of each target.");
}

async function measure(
  { url, headers }: CheckWorker,
  request: object,
  measurement: Measurement,
  region: Region,
): Promise<Figures> {
  try {
    const body = JSON.stringify({ ...request, measurement, region });
    const response = await fetch(url, { method: "POST", headers, body, signal: AbortSignal.timeout(LIMIT_MS) });
    if (response.ok) return checkAnswer.parse(await response.json()).figures;
    return { error: `${response.status}: ${(await response.text()).slice(0, 200).trim()}` };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

async function rowsOf(worker: CheckWorker, measurement: Measurement, options: Options): Promise<Row[]> {
  const request = requestOf(options);
  if (measurement === "placement") return placementRows(worker, request, options.places ?? REGIONS);
  const figures = await measure(worker, request, measurement, options.region);
  const { expected, judge } = ASSUMPTIONS[measurement];
  return [{ measurement, expected, ...(failureIn(figures) ?? judge(figures, dialsTogether())), figures }];
}

async function placementRows(worker: CheckWorker, request: object, regions: readonly Region[]): Promise<Row[]> {
  const measured = regions.map(
    async (region) => [region, await measure(worker, request, "placement", region)] as const,
  );
  const all = new Map(await Promise.all(measured));
  const findings = judgePlacement(new Map([...all].map(([region, { colo }]) => [region, colo as string | undefined])));
  return [...findings].map(([region, finding]) => ({
    measurement: `placement ${region}`,
    expected: "a place of its own",
    ...(failureIn(all.get(region as Region) ?? {}) ?? finding),
  }));
}

/** DIALS_TOGETHER as wrangler.toml sets it for the edge. */
const dialsTogether = () => Number(readConfig({ config: EDGE_CONFIG }).vars.DIALS_TOGETHER ?? 1);

/** The platform refused the measurement. */
function failureIn({ error }: Figures): Finding | undefined {
  if (error === undefined) return undefined;
  return { verdict: "unknown", found: `${error}`, advice: "The measurement failed. Run this again." };
}

async function smokeRows(edge: string, tokenFile: string | undefined): Promise<Row[]> {
  const { url, token } = accessOf(edge, tokenFile, process.env);
  const checks = await smokeTest(url, token);
  return checks.map(({ name, fault, note }) => ({
    measurement: name,
    expected: "as deployed",
    verdict: fault === undefined ? "assumed" : "otherwise",
    found: fault ?? note ?? "it is",
    ...(fault !== undefined && { advice: "docs/deploy.md, “When the smoke test fails”" }),
  }));
}

function textOf(rows: readonly Row[], isLocal: boolean): string {
  const cells = rows.map(({ measurement, verdict, found, expected }) => [
    measurement,
    VERDICT_TEXTS[verdict],
    found,
    expected,
  ]);
  const advised = Map.groupBy(
    rows.filter(({ advice }) => advice !== undefined),
    ({ advice }) => advice,
  );
  const lines = [...advised].map(
    ([advice, of]) => `  ${of.map(({ measurement }) => measurement).join(", ")}: ${advice}`,
  );
  const toDo = lines.length === 0 ? [] : ["", "What to do:", ...lines];
  const where = isLocal
    ? ["", "This ran on the local machine, which lacks the platform's limits: docs/platform.md."]
    : [];
  return [table(["MEASUREMENT", "VERDICT", "FOUND", "ASSUMED"], cells), ...toDo, ...where].join("\n");
}

async function measureAll(worker: CheckWorker, options: Options): Promise<Row[]> {
  const rows: Row[] = [];
  for (const measurement of options.only ?? MEASUREMENTS) {
    say(`${measurement} …`);
    const startedAt = performance.now();
    rows.push(...(await rowsOf(worker, measurement, options)));
    say(` ${((performance.now() - startedAt) / 1_000).toFixed(1)} s\n`);
  }
  return rows;
}

process.exitCode = await toItsEnd(async () => {
  const options = readOptions(process.argv);
  requestOf(options);
  const run = (worker: CheckWorker) => measureAll(worker, options);
  const rows = options.local ? await withLocalWorker(run) : await withDeployedWorker(process.env, say, run);
  if (options.edge !== undefined) rows.push(...(await smokeRows(options.edge, options.tokenFile)));
  const text = options.output === "json" ? JSON.stringify(rows, undefined, 2) : textOf(rows, options.local === true);
  process.stdout.write(`${text}\n`);
  return rows.some(({ verdict }) => verdict === "otherwise") ? 1 : 0;
});
// A measurement that was interrupted is not waited for.
process.exit();
