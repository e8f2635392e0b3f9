import { parseArgs } from "node:util";

export const HELP = `What HTTPS probes cost in CPU time, and how long the view takes, beside what they are to be held against.

  npm run bench                  some three minutes
  npm run bench -- --quick       well under a minute, and less exact
  npm run bench -- --view        the view alone
  npm run bench -- --efficiency  probes beside Prometheus' blackbox_exporter, alone: two minutes, and once as many to build it

Handshakes: Vedette's TLS client beside Node's own, both in this process, each verifying a leaf, an intermediate and
a root, with no session resumed. Probes: in workerd, HTTPS beside HTTP, the whole exchange (Linux only).
Efficiency: CPU time for a probe in workerd beside the same in blackbox_exporter, on the same servers; Go builds that
(https://go.dev/dl, 1.26 or newer), and without Go ours is measured alone.
The view: its overview with 1,000 records in 9 regions beside that with 10, in Chromium, as it was built, while one
record in a hundred changes twice a second.
The servers run in a process of their own and are not counted. Other work on the machine is: see the spread.
`;

export interface Plan {
  rounds: number;
  /** Handshakes, and probes, of each kind in a round. */
  handshakes: number;
  probes: number;
  /** How often each page of the view is loaded. */
  pages: number;
  /** The one part that is wanted; absent for all but `efficiency`. */
  only?: "view" | "efficiency";
}

/** Reads the command line. `wrong` names the option that is not known. */
export function readOptions(argv: readonly string[]): { plan: Plan } | { help: true } | { wrong: string } {
  try {
    const flags = {
      quick: { type: "boolean" },
      view: { type: "boolean" },
      efficiency: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    } as const;
    const { values } = parseArgs({ args: [...argv], options: flags, strict: true, allowPositionals: false });
    if (values.help) return { help: true };
    const size = values.quick
      ? { rounds: 5, handshakes: 30, probes: 100, pages: 3 }
      : { rounds: 11, handshakes: 150, probes: 400, pages: 11 };
    if (values.view && values.efficiency) return { wrong: "--view and --efficiency: give one of them" };
    const only = values.view ? "view" : values.efficiency ? "efficiency" : undefined;
    return { plan: { ...size, ...(only !== undefined && { only }) } };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}
