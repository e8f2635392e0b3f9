import { parseArgs } from "node:util";

export const HELP = `What HTTPS probes cost in CPU time, and how long the view takes, beside what they are to be held against.

  npm run bench                  some three minutes
  npm run bench -- --quick       well under a minute, and less exact
  npm run bench -- --view        the view alone

Handshakes: Vedette's TLS client beside Node's own, both in this process, each verifying a leaf, an intermediate and
a root, with no session resumed. Probes: in workerd, HTTPS beside HTTP, the whole exchange (Linux only).
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
  viewAlone: boolean;
}

/** Reads the command line. `wrong` names the option that is not known. */
export function readOptions(argv: readonly string[]): { plan: Plan } | { help: true } | { wrong: string } {
  try {
    const flags = {
      quick: { type: "boolean" },
      view: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    } as const;
    const { values } = parseArgs({ args: [...argv], options: flags, strict: true, allowPositionals: false });
    if (values.help) return { help: true };
    const size = values.quick
      ? { rounds: 5, handshakes: 30, probes: 100, pages: 3 }
      : { rounds: 11, handshakes: 150, probes: 400, pages: 11 };
    return { plan: { ...size, viewAlone: values.view === true } };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}
