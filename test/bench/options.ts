import { parseArgs } from "node:util";

export const HELP = `What HTTPS probes cost in CPU time, beside what they are to be held against.

  npm run bench                  some three minutes
  npm run bench -- --quick       well under a minute, and less exact

Handshakes: Vedette's TLS client beside Node's own, both in this process, each verifying a leaf, an intermediate and
a root, with no session resumed. Probes: in workerd, HTTPS beside HTTP, the whole exchange (Linux only).
The servers run in a process of their own and are not counted. Other work on the machine is: see the spread.
`;

export interface Plan {
  rounds: number;
  /** Handshakes, and probes, of each kind in a round. */
  handshakes: number;
  probes: number;
}

/** Reads the command line. `wrong` names the option that is not known. */
export function readOptions(argv: readonly string[]): { plan: Plan } | { help: true } | { wrong: string } {
  try {
    const flags = { quick: { type: "boolean" }, help: { type: "boolean", short: "h" } } as const;
    const { values } = parseArgs({ args: [...argv], options: flags, strict: true, allowPositionals: false });
    if (values.help) return { help: true };
    return {
      plan: values.quick ? { rounds: 5, handshakes: 30, probes: 100 } : { rounds: 11, handshakes: 150, probes: 400 },
    };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}
