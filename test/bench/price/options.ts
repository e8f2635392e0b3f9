import { parseArgs } from "node:util";
import { CASES, type Case, checksASecond, isQuick, STATE_HELP, STATES } from "./cases.ts";

const states = STATES.map((state) => `    ${state.padEnd(10)} ${STATE_HELP[state]}`).join("\n");

export const HELP = `What a fleet costs on Cloudflare, for each endpoint and month, by what its objects really use.

  npm run bench:price                     every case that this machine can dial, some two hours
  npm run bench:price -- --quick          the goal's cases and what trouble costs, some fifteen minutes
  npm run bench:price -- --only regions=3,interval=30,endpoints=100|1000,state=healthy
                                          the cases that fit, also those with more checks than this machine is thought to dial

  --minutes <n>     how long is counted, once all is at rest (2; 5 with no doubt about rows that come each five minutes)
  --delay <ms>      how long an exchange takes, from the dial to the last octet: two thirds of it until the gateway's first
                    octet, as with three equal round trips (150)
  --together <n>    the setting DIALS_TOGETHER of the edge (1)
  --at-once <n>     how many fleets are watched at a time, each in a workerd of its own (3)
  --json            prints what was counted, as JSON, a line for each case

Endpoints 10, 100, 1000; regions 1, 3, 9; intervals 30 and 10 s; state:
${states}

Needs no account: the product's objects run in workerd on this machine, with real alarms and real dials to gateways here.
Other work on the machine makes what is awake look longer: see "late", which is how late the alarms were on average.
`;

export interface Plan {
  cases: readonly Case[];
  /** Cases that are left out: more checks a second than this machine is thought to dial. */
  tooMany: readonly Case[];
  minutes: number;
  delayMs: number;
  together: number;
  atOnce: number;
  json: boolean;
}

const FLAGS = {
  quick: { type: "boolean" },
  only: { type: "string" },
  minutes: { type: "string", default: "2" },
  delay: { type: "string", default: "150" },
  together: { type: "string", default: "1" },
  "at-once": { type: "string", default: "3" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h" },
} as const;

/** Reads the command line. `wrong` names the option and the rule. @param mostChecks a second, that this machine dials */
export function readOptions(
  argv: readonly string[],
  mostChecks: number,
): { plan: Plan } | { help: true } | { wrong: string } {
  try {
    const { values } = parseArgs({ args: [...argv], options: FLAGS, strict: true, allowPositionals: false });
    if (values.help) return { help: true };
    const chosen =
      values.only === undefined ? CASES.filter((one) => !values.quick || isQuick(one)) : fitting(values.only);
    const isTooMany = (one: Case) => values.only === undefined && checksASecond(one) > mostChecks;
    const plan = {
      cases: chosen.filter((one) => !isTooMany(one)),
      tooMany: chosen.filter(isTooMany),
      minutes: positive("--minutes", values.minutes),
      delayMs: positive("--delay", values.delay),
      together: positive("--together", values.together),
      atOnce: positive("--at-once", values["at-once"]),
      json: values.json,
    };
    return { plan };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}

const FIELDS = {
  endpoints: (one: Case) => `${one.endpoints}`,
  regions: (one: Case) => `${one.regions}`,
  interval: (one: Case) => `${one.intervalS}`,
  state: (one: Case) => one.state,
};

function fitting(text: string): Case[] {
  const wanted = text.split(",").map((part) => {
    const [field = "", values = ""] = part.split("=");
    if (!(field in FIELDS)) throw new Error(`--only: "${field}" must be one of ${Object.keys(FIELDS).join(", ")}`);
    return {
      read: FIELDS[field as keyof typeof FIELDS],
      values: values.split("|").map((one) => one.replace(/s$/, "")),
    };
  });
  const found = CASES.filter((one) => wanted.every(({ read, values }) => values.includes(read(one))));
  if (found.length === 0) throw new Error(`--only: no case is "${text}"; see --help for what there is`);
  return found;
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${option}: "${text}" must be a whole number from 1`);
  return value;
}
