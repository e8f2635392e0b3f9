import { type Command, Option } from "commander";
import { describeReason } from "../../shared/explain/describe-reason.ts";
import { type CheckAnswer, type CheckFromRegion, checkAnswer } from "../../shared/model/check-now.ts";
import { REGIONS } from "../../shared/model/region.ts";
import { addExamples, listOf, type Run } from "../command.ts";
import { CliError, EXIT, type ExitCode } from "../exit-code.ts";
import { table } from "../output/table.ts";
import { styleOf } from "../output/terminal.ts";
import type { Session } from "../session.ts";

/** The longest check that the edge allows, its wait for a slot in the region, and the network. */
const LIMIT_MS = 60_000;

interface Options {
  address?: string;
  region?: string[];
  timeout?: string;
  expectStatus?: string[];
  allowInsecureCertificate?: true;
}

/** `vedette check` */
export function addCheck(program: Command, run: Run): void {
  const check = program
    .command("check")
    .summary("check one address once, now, from the edge")
    .description(
      "Asks one address for a URL, once, from each region, and shows how far each came and how long it took. Nothing is counted or stored. Needs the admin token.",
    )
    .argument("<url>", "its host is the Host header, the server name (SNI) and the name in the certificate")
    .option("--address <address>", "where the connection goes: an address, or a host name; default: the URL's host")
    .addOption(
      new Option(
        "--region <region>",
        "from where; may be repeated, or hold several with commas (default: weur,enam,apac)",
      )
        .choices(REGIONS)
        .argParser(listOf(REGIONS)),
    )
    .option("--timeout <duration>", "of the whole check, 100ms to 30s (default: 5s)")
    .addOption(
      new Option(
        "--expect-status <status>",
        "a status or range that is a success; may be repeated (default: 200-299)",
      ).argParser(listOf()),
    )
    .option("--allow-insecure-certificate", "a certificate that fails verification is no failure")
    .action((url: string, options: Options, command: Command) =>
      run(command, (session) => show(session, url, options)),
    );
  addExamples(check, [
    ["vedette check https://api.example.com/healthz --address 203.0.113.10", "one gateway, as three regions see it"],
    ["vedette check https://api.example.com/ --region oc,afr --timeout 10s", "wherever its name leads, from far away"],
  ]);
}

async function show(session: Session, url: string, options: Options): Promise<ExitCode> {
  const answer = await session.edge.post("/v1/checks", requestOf(url, options), checkAnswer, LIMIT_MS);
  session.show(answer, () => answerText(answer, session));
  return answer.results.every(({ outcome }) => outcome === "ok") ? EXIT.Fine : EXIT.Trouble;
}

/** Options that are not set use the edge's defaults. */
function requestOf(url: string, { address, region, timeout, expectStatus, allowInsecureCertificate }: Options): object {
  const host = URL.parse(url)?.hostname.replace(/^\[|\]$/g, "");
  if (host === undefined || host === "") {
    throw new CliError(
      EXIT.Usage,
      `${JSON.stringify(url)} is no URL.`,
      "Give one such as https://api.example.com/healthz.",
    );
  }
  return {
    url,
    address: address ?? host,
    regions: region ?? ["weur", "enam", "apac"],
    ...(timeout !== undefined && { timeout }),
    ...(expectStatus !== undefined && { expectedStatuses: expectStatus }),
    ...(allowInsecureCertificate && { allowInsecureCertificate }),
  };
}

const HEAD = ["REGION", "COLO", "OUTCOME", "DNS", "CONNECT", "TLS", "FIRST BYTE", "TOTAL", "WHAT"];

function answerText({ results }: CheckAnswer, session: Session): string {
  return table(
    HEAD,
    results.map((result) => rowOf(result, session)),
  );
}

function rowOf({ region, colo = "-", outcome, observation }: CheckFromRegion, { terminal }: Session): string[] {
  const { resolveMs, connectMs, tlsMs, firstByteMs, totalMs } = observation?.phases ?? {};
  const times = [resolveMs, connectMs, tlsMs, firstByteMs, totalMs].map(milliseconds);
  return [region, colo, terminal.style(styleOf(outcome), outcome), ...times, whatOf(observation)];
}

const milliseconds = (ms: number | undefined) => (ms === undefined ? "-" : `${Math.round(ms)} ms`);

function whatOf(observation: CheckFromRegion["observation"]): string {
  if (observation === undefined) return "the prober there could not be reached; try again";
  const { address, httpStatus, reason, message, tls } = observation;
  const ends = tls?.expiresAt ?? tls?.notAfter;
  return [
    describeReason(observation),
    ...(httpStatus !== undefined && reason !== "UnexpectedStatus" ? [`status ${httpStatus}`] : []),
    ...(address === undefined ? [] : [address]),
    ...(tls === undefined ? [] : [tls.version]),
    ...(ends === undefined ? [] : [`certificate until ${new Date(ends).toISOString().slice(0, 10)}`]),
    ...(tls?.skipped === undefined ? [] : [`let pass: ${tls.skipped.message}`]),
    ...(message === undefined ? [] : [message]),
  ].join("; ");
}
