import { parseArgs } from "node:util";

export const HELP = `What one coordinator bears: a whole fleet of simulated probers against the real objects, in workerd (Linux only).

  npm run bench:scale                     10,000 endpoints in 9 regions at 30 s, beside 100: some seven minutes
  npm run bench:scale -- --quick          2,000 endpoints, shorter: some three minutes
  npm run bench:scale -- --endpoints=N    so many endpoints, in records of ten
  npm run bench:scale -- --clusters=N     spread over so many clusters; 1 where it is not given
  npm run bench:scale -- --alone          without the 100 endpoints to compare with
  npm run bench:scale -- --profile        also which functions take the time in a storm

Probers and the agent are in this process; what is counted is workerd alone. CPU is user and system time, from which an idle time
as long is taken. "Of the coordinator" is what a report costs above one that goes the same way to an object that drops it.
Other work on the machine makes all of it slower: the load is printed with it.
`;

export interface Plan {
  endpoints: number;
  clusters: number;
  /** How long the probers do their rounds in their phases while all is well, ms. */
  steadyMs: number;
  isProfiled: boolean;
  isAlone: boolean;
}

/** Reads the command line. `wrong` says what is wrong in it. */
export function readOptions(argv: readonly string[]): { plan: Plan } | { help: true } | { wrong: string } {
  try {
    const flags = {
      quick: { type: "boolean" },
      profile: { type: "boolean" },
      alone: { type: "boolean" },
      endpoints: { type: "string" },
      clusters: { type: "string" },
      help: { type: "boolean", short: "h" },
    } as const;
    const { values } = parseArgs({ args: [...argv], options: flags, strict: true, allowPositionals: false });
    if (values.help) return { help: true };
    const endpoints = Number(values.endpoints ?? (values.quick ? 2_000 : 10_000));
    const clusters = Number(values.clusters ?? 1);
    if (!Number.isInteger(endpoints) || endpoints < 100)
      return { wrong: "--endpoints: must be a whole number from 100" };
    if (!Number.isInteger(clusters) || clusters < 1) return { wrong: "--clusters: must be a whole number from 1" };
    const steadyMs = values.quick ? 30_000 : 90_000;
    return {
      plan: { endpoints, clusters, steadyMs, isProfiled: values.profile === true, isAlone: values.alone === true },
    };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}
