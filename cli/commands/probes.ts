import { type Command, Option } from "commander";
import { describeRegion } from "../../shared/explain/region-views.ts";
import { type ProbeStatus, verdict } from "../../shared/model/status.ts";
import { addExamples, hosts, listOf, type Run } from "../command.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { table } from "../output/table.ts";
import { styleOf } from "../output/terminal.ts";
import type { Session } from "../session.ts";
import { recordList } from "./records.ts";

interface Options {
  host?: string[];
  verdict?: string[];
}

/** `vedette probes` */
export function addProbes(program: Command, run: Run): void {
  const probes = program
    .command("probes")
    .summary("each address that is checked, with the word of each region")
    .description("Lists the probes: one address each, its verdict, and each region's result.")
    .addOption(new Option("--host <host>", "only those of this root host; may be repeated").argParser(hosts))
    .addOption(
      new Option("--verdict <verdict>", "only those of this verdict; may be repeated")
        .choices(verdict.options)
        .argParser(listOf(verdict.options)),
    )
    .action((options: Options, command: Command) => run(command, (session) => show(session, options)));
  addExamples(probes, [
    ["vedette probes", "all of them"],
    ["vedette probes --verdict Unhealthy,Unknown", "those that are in trouble"],
    ["vedette probes --host api.example.com -o json", "the counts and latencies of each region"],
  ]);
}

async function show(session: Session, { host: wanted, verdict: verdicts }: Options): Promise<ExitCode> {
  const { records } = await session.edge.get("/v1/records", recordList);
  const probes = records
    .filter(({ rootHost }) => wanted === undefined || wanted.includes(rootHost))
    .flatMap(({ rootHost, probes: own }) => own.map((probe) => ({ rootHost, ...probe })))
    .filter((probe) => verdicts === undefined || verdicts.includes(probe.verdict));
  session.show({ probes }, () => probeTable(probes, session));
  return EXIT.Fine;
}

function probeTable(probes: readonly (ProbeStatus & { rootHost: string })[], session: Session): string {
  if (probes.length === 0) return "There are no such probes.";
  const clock = session.clock();
  const head = ["RECORD", "ADDRESS", "CLUSTER", "VERDICT", "SINCE", "REGIONS"];
  const rows = probes.map((probe) => [
    probe.rootHost,
    probe.leaf,
    probe.cluster,
    session.terminal.style(styleOf(probe.verdict), probe.verdict),
    clock(probe.since),
    probe.resting?.message ?? probe.regions.map((one) => `${one.region}: ${describeRegion(one)}`).join("; "),
  ]);
  return table(head, rows);
}
