import { type Command, Option } from "commander";
import { overview } from "../../shared/model/overview.ts";
import { addExamples, durationMs, type Run } from "../command.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { isAllWell, statusText } from "../output/status-text.ts";
import type { Session } from "../session.ts";
import { watch } from "../watch.ts";

const HOUR_MS = 3_600_000;

interface Options {
  watch?: true;
  interval: number;
  exitCode?: true;
}

/** `vedette status` */
export function addStatus(program: Command, run: Run): void {
  const status = program
    .command("status")
    .summary("every record at a glance, the worst first")
    .description(
      "Shows every record with its state and how many of its addresses are in DNS, the worst first. Below each is what is wrong: which address, since when, and as seen from which regions. Then regions and clusters that are not well.",
    )
    .option("-w, --watch", "go on until Ctrl-C; on a terminal the screen is drawn anew")
    .addOption(
      new Option("--interval <duration>", "with --watch: how often to look")
        .argParser(durationMs(500, HOUR_MS))
        .default(2_000, "2s"),
    )
    .option(
      "--exit-code",
      "end with 1 where something is not well: a record is neither Healthy nor NotProbed, a region is silent or suspect, a cluster is not reached",
    )
    .action((options: Options, command: Command) => run(command, (session) => show(session, options)));
  addExamples(status, [
    ["vedette status", "what is out of DNS, and why"],
    ["vedette status --watch", "the same, and what becomes of it"],
    ["vedette status --exit-code >/dev/null || echo trouble", "for a script"],
    ["vedette status -o json | jq '.records[] | select(.state != \"Healthy\") | .rootHost'", "for a machine"],
  ]);
}

async function show(session: Session, options: Options): Promise<ExitCode> {
  if (options.watch) {
    return watch(session, options.interval, async (signal, rows) => {
      const seen = await session.edge.get("/v1/overview", overview, signal);
      return { data: seen, text: statusText(seen, session.clock(), session.terminal.style, rows) };
    });
  }
  const seen = await session.edge.get("/v1/overview", overview);
  session.show(seen, () => statusText(seen, session.clock(), session.terminal.style));
  return options.exitCode && !isAllWell(seen) ? EXIT.Trouble : EXIT.Fine;
}
