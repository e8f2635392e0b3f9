import type { Command } from "commander";
import { z } from "zod";
import { canonicalHost } from "../../shared/model/host.ts";
import { type RecordStatus, recordStatus } from "../../shared/model/status.ts";
import { addExamples, type Run } from "../command.ts";
import { CliError, EXIT, type ExitCode } from "../exit-code.ts";
import { table } from "../output/table.ts";
import type { Session } from "../session.ts";

export const recordList = z.object({ records: z.array(recordStatus) });

/** `vedette records` */
export function addRecords(program: Command, run: Run): void {
  const records = program
    .command("records")
    .summary("what is in DNS, and what is withheld")
    .description(
      "Lists the records with the addresses that are published and those that are withheld. With -o json or yaml whole: endpoints, probes, regions, advisories.",
    )
    .argument("[host...]", "only these root hosts")
    .action((hosts: string[], _options: object, command: Command) => run(command, (session) => show(session, hosts)));
  addExamples(records, [
    ["vedette records", "all of them"],
    ["vedette records api.example.com -o yaml", "all that is known of one"],
  ]);
}

async function show(session: Session, hosts: readonly string[]): Promise<ExitCode> {
  const { records } = await session.edge.get("/v1/records", recordList);
  const chosen = hosts.length === 0 ? records : hosts.map((host) => named(records, host));
  session.show({ records: chosen }, () => recordTable(chosen, session));
  return EXIT.Fine;
}

function named(records: readonly RecordStatus[], host: string): RecordStatus {
  const read = canonicalHost(host, true);
  const found = records.find(({ rootHost }) => "host" in read && rootHost === read.host);
  if (found !== undefined) return found;
  throw new CliError(EXIT.NotFound, `No record has the root host ${host}.`, "See which there are: vedette records.");
}

function recordTable(records: readonly RecordStatus[], session: Session): string {
  if (records.length === 0) return "There are no records yet.";
  const { terminal } = session;
  const time = session.clock();
  const head = ["RECORD", "PUBLISHED", "WITHHELD", "CLUSTERS", "DECIDED"];
  const rows = records.map(({ rootHost, leaves, shares, decidedAt }) => {
    const leavesOf = (published: boolean) =>
      leaves.flatMap((one) => (one.published === published ? [one.leaf] : [])).join(", ");
    const clusters = [...new Set(shares.map(({ cluster }) => cluster))].join(", ");
    const withheld = leavesOf(false);
    return [
      rootHost,
      leavesOf(true) || "-",
      withheld === "" ? "-" : terminal.style("red", withheld),
      clusters,
      time(decidedAt),
    ];
  });
  return table(head, rows);
}
