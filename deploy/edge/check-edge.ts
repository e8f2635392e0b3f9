import { Command, InvalidArgumentError, Option } from "commander";
import { listOf } from "../../cli/command.ts";
import { accessOf, isThisMachine } from "../../cli/edge/access.ts";
import { EdgeClient } from "../../cli/edge/client.ts";
import { CliError, EXIT } from "../../cli/exit.ts";
import { table } from "../../cli/output/table.ts";
import { REGIONS, type Region } from "../../shared/model/region.ts";
import { type Figures, MEASUREMENTS, type Measurement, selfTestAnswer } from "../../shared/model/self-test.ts";
import type { Finding } from "./finding.ts";
import { ASSUMPTIONS, judgePlacement } from "./findings.ts";
import { smokeTest } from "./smoke.ts";
import { toItsEnd } from "./stop.ts";

interface Options {
  edge: string;
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

/** Longer than the edge gives a measurement. */
const LIMIT_MS = 120_000;
const WORDS = { assumed: "as assumed", otherwise: "OTHERWISE", unknown: "not told" } as const;

let hasAnswered = false;

const say = (text: string): void => void process.stderr.write(text);

function readOptions(argv: string[]): Options {
  return new Command("npm run check:edge --")
    .description(
      "Lets a deployed edge measure the platform that it runs on, and says where that is not what Vedette's design assumes. Takes some two minutes and some 130 dials to public addresses, most of them to one that never answers. Needs the admin token (VEDETTE_TOKEN).",
    )
    .addOption(new Option("--edge <url>", "the edge's URL").env("VEDETTE_EDGE").makeOptionMandatory())
    .option("--token-file <file>", "a file with the token, - for standard input; without it VEDETTE_TOKEN is taken")
    .addOption(new Option("--region <region>", "from where to measure").choices(REGIONS).default("weur"))
    .addOption(
      new Option(
        "--places <regions>",
        "whose objects to ask where they are; several with commas (default: all)",
      ).argParser(listOf(REGIONS)),
    )
    .addOption(
      new Option("--only <measurements>", `some of them, with commas: ${MEASUREMENTS.join(", ")}`).argParser(
        listOf(MEASUREMENTS),
      ),
    )
    .option("--open <address:port>", "what accepts connections (default: 9.9.9.9:443)")
    .option("--closed-port <address:port>", "what refuses them (default: 45.33.32.156:1, which is scanme.nmap.org)")
    .option("--black-hole <address:port>", "what never answers (default: 8.8.8.8:81)")
    .option("--ipv6 <[address]:port>", "what accepts connections over IPv6 (default: [2620:fe::9]:443)")
    .option("--tls <address:port>", "what speaks HTTP/1.1 over TLS (default: 8.8.8.8:443)")
    .option("--tls-host <host>", "the name in its certificate (default: dns.google)")
    .option("--idle <seconds>", "for how long nobody asks the objects that are to sleep, at most 30", seconds, 14)
    .addOption(new Option("-o, --output <format>", "how to show it").choices(["table", "json"]).default("table"))
    .addHelpText("after", HELP)
    .helpOption("-h, --help", "show help")
    .showHelpAfterError("Add --help for what there is.")
    .parse(argv)
    .opts<Options>();
}

const HELP = `
Ends with 1 where something is otherwise than assumed. What each assumption is for: docs/platform.md.

Examples:
  VEDETTE_EDGE=https://vedette.example.workers.dev npm run check:edge
  npm run check:edge -- --only black-hole,black-hole-held,seventh-dial --black-hole 8.8.4.4:81
  npm run check:edge -- --edge http://127.0.0.1:8787 --only alarms,rows,cpu`;

function seconds(text: string): number {
  const value = Number(text);
  if (!(value >= 0.1 && value <= 30)) throw new InvalidArgumentError("It must be a number of seconds, from 0.1 to 30.");
  return value;
}

async function rowsOf(edge: EdgeClient, measurement: Measurement, options: Options): Promise<Row[]> {
  if (measurement === "placement") return placementRows(edge, options);
  const figures = await measure(edge, measurement, options.region, options);
  const { expected, judge } = ASSUMPTIONS[measurement];
  return [{ measurement, expected, ...(failureIn(figures) ?? judge(figures)), figures }];
}

async function placementRows(edge: EdgeClient, options: Options): Promise<Row[]> {
  const asked = (options.places ?? REGIONS).map(
    async (region) => [region, await measure(edge, "placement", region, options)] as const,
  );
  const all = new Map(await Promise.all(asked));
  const findings = judgePlacement(new Map([...all].map(([region, { colo }]) => [region, colo as string | undefined])));
  return [...findings].map(([region, finding]) => ({
    measurement: `placement ${region}`,
    expected: "a place of its own",
    ...(failureIn(all.get(region as Region) ?? {}) ?? finding),
  }));
}

async function measure(edge: EdgeClient, measurement: Measurement, region: Region, options: Options): Promise<Figures> {
  const { open, closedPort, blackHole, ipv6, tls, tlsHost } = options;
  const targets = { open, closedPort, blackHole, ipv6, tls, tlsHost };
  const body = { measurement, region, targets, idleMs: options.idle * 1_000 };
  try {
    const { figures } = await edge.post("/v1/self-test", body, selfTestAnswer, LIMIT_MS);
    hasAnswered = true;
    return figures;
  } catch (error) {
    // An edge that has measured something is there, and its admin's token fits: what fails then is this measurement alone.
    if (hasAnswered && error instanceof CliError && error.code !== EXIT.Refused) return { error: error.message };
    throw error;
  }
}

/** The platform would not let it be measured. */
function failureIn({ error }: Figures): Finding | undefined {
  if (error === undefined) return undefined;
  return { verdict: "unknown", found: `${error}`, advice: "It could not be measured. Run it again." };
}

async function smokeRows(url: URL, token: string | undefined): Promise<Row[]> {
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
  const cells = rows.map(({ measurement, verdict, found, expected }) => [measurement, WORDS[verdict], found, expected]);
  const advised = Map.groupBy(
    rows.filter(({ advice }) => advice !== undefined),
    ({ advice }) => advice,
  );
  const lines = [...advised].map(
    ([advice, of]) => `  ${of.map(({ measurement }) => measurement).join(", ")}: ${advice}`,
  );
  const toDo = lines.length === 0 ? [] : ["", "What follows from it:", ...lines];
  const where = isLocal ? ["", "This edge is on this machine, where the platform is kinder: docs/platform.md."] : [];
  return [table(["MEASUREMENT", "VERDICT", "FOUND", "ASSUMED"], cells), ...toDo, ...where].join("\n");
}

process.exitCode = await toItsEnd(async () => {
  const options = readOptions(process.argv);
  const access = accessOf(options.edge, options.tokenFile, process.env);
  const edge = new EdgeClient(access);
  const rows: Row[] = [];
  for (const measurement of options.only ?? MEASUREMENTS) {
    say(`${measurement} …`);
    const startedAt = performance.now();
    rows.push(...(await rowsOf(edge, measurement, options)));
    say(` ${((performance.now() - startedAt) / 1_000).toFixed(1)} s\n`);
  }
  if (options.only === undefined) rows.push(...(await smokeRows(access.url, access.token)));
  process.stdout.write(
    `${options.output === "json" ? JSON.stringify(rows, undefined, 2) : textOf(rows, isThisMachine(access.url.hostname))}\n`,
  );
  return rows.some(({ verdict }) => verdict === "otherwise") ? 1 : 0;
});
