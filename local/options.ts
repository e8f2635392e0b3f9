import { readFileSync } from "node:fs";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { parseDurationMs } from "../shared/model/duration.ts";
import { certificatesOfPem } from "../workers/prober/tls/pem.ts";
import { Refusal } from "./plan.ts";

/** The options of `npm start`. Ports are TCP; `dns` is UDP too. */
export type Options = {
  /** A file or folder of the user's own records; absent for the demo with its sample gateways. */
  records?: string;
  /** A file of certificates that HTTPS probes trust beside Mozilla's roots. */
  extraRoots?: string;
  /** Folder of everything that outlives a run. */
  state: string;
  fresh: boolean;
  edgeStaleAfterMs: number;
  ports: Ports;
};

/** The configuration of a stack. Without `records` it is the demo with its sample gateways. */
export type StackPlan = Omit<Options, "extraRoots"> & {
  /** Authorities that HTTPS probes trust beside Mozilla's and that of the sample gateways, in PEM. */
  extraRoots?: string;
  /** Additional settings of the Worker. */
  edgeSettings?: Record<string, string>;
};

export type Ports = { edge: number; agent: number; dns: number; control: number; gateway: number };

const command = new Command("npm start --")
  .description("Vedette's local stack: the edge, the agent and three sample gateways on this machine.")
  .option("--records <file or folder>", "DNSRecord manifests to watch (YAML), re-read when they change")
  .option("--extra-roots <file>", "certificate authorities of your own that HTTPS probes trust (PEM)")
  .option("--fresh", "empty the state folder first", false)
  .option("--state <folder>", "folder of state and logs", ".vedette")
  .addOption(
    new Option("--edge-stale-after <time>", "how long the edge may be silent before the agent publishes all")
      .argParser(duration)
      .default(30_000, "30s"),
  )
  .option("--edge-port <port>", "edge", port, 8787)
  .option("--agent-port <port>", "agent", port, 8788)
  .option("--dns-port <port>", "DNS, UDP and TCP", port, 8753)
  .option("--control-port <port>", "breaking and mending by curl", port, 8789)
  .option("--gateway-port <port>", "sample gateways, HTTPS, on 127.0.0.11 to .13", port, 8443)
  .helpOption("-h, --help", "show this text")
  .allowExcessArguments(false)
  .exitOverride()
  .configureOutput({ writeOut: () => undefined, writeErr: () => undefined });

const EXAMPLES = `
Examples:
  npm start                                  the demo: break a gateway, watch it leave DNS
  npm start -- --records my.yaml             your own records and endpoints, no sample gateways
  npm start -- --fresh                       forget earlier runs
  npm start -- --edge-port 9787              when a port is in use
`;

export const HELP = command.helpInformation() + EXAMPLES;

/** Reads the command line. `wrong` names the option, the value and the rule. */
export function readOptions(argv: readonly string[]): { options: Options } | { help: true } | { wrong: string } {
  try {
    const { edgePort, agentPort, dnsPort, controlPort, gatewayPort, edgeStaleAfter, ...options } = command
      .parse(argv, { from: "user" })
      .opts();
    const ports = { edge: edgePort, agent: agentPort, dns: dnsPort, control: controlPort, gateway: gatewayPort };
    return { options: { ...options, edgeStaleAfterMs: edgeStaleAfter, ports } as Options };
  } catch (error) {
    if (error instanceof CommanderError && error.code === "commander.helpDisplayed") return { help: true };
    return { wrong: `${(error as Error).message}\nSee npm start -- --help` };
  }
}

function port(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > 65_535) throw new InvalidArgumentError("It must be a port from 1 to 65535.");
  return value;
}

function duration(text: string): number {
  const durationMs = parseDurationMs(text);
  if (durationMs !== undefined && durationMs >= 1_000) return durationMs;
  throw new InvalidArgumentError('It must be a duration of at least 1s, such as "30s" or "5m".');
}

/** Reads certificates from a file, as PEM for the setting EXTRA_ROOTS. Throws a Refusal if they are not. */
export function readExtraRoots(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new Refusal(`--extra-roots: ${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  const found = certificatesOfPem(text);
  if ("fault" in found) throw new Refusal(`--extra-roots: ${file} ${found.fault}`);
  return text;
}
