import { parseArgs } from "node:util";
import { parseDurationMs } from "../shared/model/duration.ts";

/** What `npm start` was asked for. Ports are TCP, `dns` is UDP too. */
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

export type Ports = { edge: number; agent: number; dns: number; control: number; gateway: number };

export const HELP = `Vedette's local stack: the edge, the agent and three sample gateways on this machine.

  npm start                                  the demo: break a gateway, watch it leave DNS
  npm start -- --records my.yaml             your own records and endpoints, no sample gateways
  npm start -- --fresh                       forget what earlier runs left
  npm start -- --edge-port 9787              when a port is taken

Options
  --records <file or folder>   DNSRecord manifests to watch (YAML); re-read when they change
  --extra-roots <file>         authorities of your own that HTTPS probes trust (PEM)
  --fresh                      empty the state folder first
  --state <folder>             where state and logs are kept           (.vedette)
  --edge-stale-after <time>    the agent publishes all when the edge was silent for so long   (30s)
  --edge-port <port>           edge                                    (8787)
  --agent-port <port>          agent                                   (8788)
  --dns-port <port>            DNS, UDP and TCP                        (8753)
  --control-port <port>        breaking and mending by curl            (8789)
  --gateway-port <port>        sample gateways, HTTPS, on 127.0.0.11 to .13   (8443)
  --help                       this text
`;

const FLAGS = {
  records: { type: "string" },
  "extra-roots": { type: "string" },
  fresh: { type: "boolean", default: false },
  state: { type: "string", default: ".vedette" },
  "edge-stale-after": { type: "string", default: "30s" },
  "edge-port": { type: "string", default: "8787" },
  "agent-port": { type: "string", default: "8788" },
  "dns-port": { type: "string", default: "8753" },
  "control-port": { type: "string", default: "8789" },
  "gateway-port": { type: "string", default: "8443" },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** Reads the command line. `wrong` names the option, the value and the rule. */
export function readOptions(argv: readonly string[]): { options: Options } | { help: true } | { wrong: string } {
  try {
    const { values } = parseArgs({ args: [...argv], options: FLAGS, strict: true, allowPositionals: false });
    if (values.help) return { help: true };
    return {
      options: {
        ...(values.records === undefined ? {} : { records: values.records }),
        ...(values["extra-roots"] === undefined ? {} : { extraRoots: values["extra-roots"] }),
        state: values.state,
        fresh: values.fresh,
        edgeStaleAfterMs: readDuration("--edge-stale-after", values["edge-stale-after"]),
        ports: {
          edge: readPort("--edge-port", values["edge-port"]),
          agent: readPort("--agent-port", values["agent-port"]),
          dns: readPort("--dns-port", values["dns-port"]),
          control: readPort("--control-port", values["control-port"]),
          gateway: readPort("--gateway-port", values["gateway-port"]),
        },
      },
    };
  } catch (error) {
    return { wrong: `${(error as Error).message}\nSee npm start -- --help` };
  }
}

function readPort(option: string, text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new Error(`${option}: "${text}" must be a port from 1 to 65535`);
  return port;
}

function readDuration(option: string, text: string): number {
  const durationMs = parseDurationMs(text);
  if (durationMs === undefined || durationMs < 1_000) {
    throw new Error(`${option}: "${text}" must be a duration of at least 1s, such as "30s" or "5m"`);
  }
  return durationMs;
}
