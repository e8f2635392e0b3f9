import { parseArgs } from "node:util";

/** Intervals between checks that are tried, in seconds, each with how long its endpoints fail and return at least. */
const WAVES = { 2: 60, 5: 100, 10: 140, 30: 310 } as const;
const QUICK = { 2: 25, 5: 60 } as const;

export const HELP = `How long a failing endpoint stays in DNS, and one that is well again out of it.

  npm run bench:failover                      some nine minutes
  npm run bench:failover -- --quick           two minutes: intervals of 2 s and 5 s alone
  npm run bench:failover -- --intervals 10,30 these alone, in seconds: of ${Object.keys(WAVES).join(", ")}
  npm run bench:failover -- --json <file>     writes every single failover there as well

Real parts on this machine: the edge in workerd, the agent with its DNS server, and gateways that refuse connections, fall
silent, leave dials unanswered, answer 500 or show a certificate for another host. Each fails at a random moment, again
and again, while a DNS client asks. Per case: p50 and p99 of each leg in ms, beside the bound, which is interval x
(failureThreshold + 1) + timeout, and with the confirmation burst interval + 5 s where the interval is 30 s. A leg ends
by the edge's own word on when it decided, with the delivery at the agent's door, and with the answer of DNS.
Other work on the machine makes all of it slower: the load is printed. The objects' storage is in memory (/dev/shm).
`;

/** One interval at a time within a track; the tracks run beside each other. Times in ms. */
export interface Wave {
  intervalMs: number;
  leastMs: number;
}
export interface Plan {
  tracks: Wave[][];
  /** File for every single failover, as JSON. */
  json?: string;
}

/** Reads the command line. `wrong` says what is not as it should be. */
export function readOptions(argv: readonly string[]): { plan: Plan } | { help: true } | { wrong: string } {
  try {
    const options = {
      quick: { type: "boolean" },
      intervals: { type: "string" },
      json: { type: "string" },
      help: { type: "boolean", short: "h" },
    } as const;
    const { values } = parseArgs({ args: [...argv], options, strict: true, allowPositionals: false });
    if (values.help) return { help: true };
    const offered = Object.entries(values.quick ? QUICK : WAVES);
    const wanted = values.intervals?.split(",") ?? offered.map(([seconds]) => seconds);
    const unknown = wanted.find((seconds) => !offered.some(([known]) => known === seconds));
    if (unknown !== undefined) return { wrong: `--intervals ${unknown}: give some of ${offered.map(([one]) => one)}` };
    const waves = offered
      .filter(([seconds]) => wanted.includes(seconds))
      .map(([seconds, least]) => ({ intervalMs: Number(seconds) * 1_000, leastMs: least * 1_000 }));
    const isLong = ({ intervalMs }: Wave) => intervalMs >= 30_000;
    const tracks = [waves.filter((wave) => !isLong(wave)), waves.filter(isLong)].filter(({ length }) => length > 0);
    return { plan: { tracks, ...(values.json !== undefined && { json: values.json }) } };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}
