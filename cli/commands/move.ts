import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { exportHead, type ImportReceipt, importReceipt } from "../../shared/model/export.ts";
import { formatFieldError } from "../../shared/model/field-error.ts";
import { addExamples, type Run } from "../command.ts";
import { CliError, EXIT, type ExitCode } from "../exit-code.ts";
import { table } from "../output/table.ts";
import type { Session } from "../session.ts";

/** An export asks the object of each cluster. */
const LIMIT_MS = 120_000;

/** `vedette export` */
export function addExport(program: Command, run: Run): void {
  const command = program
    .command("export")
    .summary("write down what another edge needs to take over")
    .description(
      "Prints, as NDJSON, the clusters that are registered, with their secrets sealed by the edge's HEADER_KEY, and for comparison what is published of each record. No secret can be read in it. Needs the admin token.",
    )
    .action((_options: object, own: Command) => run(own, exportAll));
  addExamples(command, [["vedette export > edge.ndjson", "before a move, or each day for when it is needed"]]);
}

/** `vedette import` */
export function addImport(program: Command, run: Run): void {
  const command = program
    .command("import")
    .summary("register the clusters of an export at this edge")
    .description(
      "Registers the clusters of an export. They keep their secrets where this edge has the HEADER_KEY that sealed them; to others it gives new ones, which are shown this once. Clusters that are registered already stay as they are. Needs the admin token.",
    )
    .argument("[file]", "the export; - is standard input", "-")
    .action((file: string, _options: object, own: Command) => run(own, (session) => importAll(session, file)));
  addExamples(command, [
    ["vedette import edge.ndjson", "what an export has"],
    ["vedette import --edge https://new.example.com < edge.ndjson", "into another edge"],
  ]);
}

async function exportAll({ edge, terminal }: Session): Promise<ExitCode> {
  const text = await edge.getText("/v1/export", LIMIT_MS);
  if (!isExport(text)) {
    throw new CliError(EXIT.Unreachable, "What was answered is no export.", "Is the URL of --edge the edge's?");
  }
  terminal.raw(text);
  return EXIT.Fine;
}

function isExport(text: string): boolean {
  try {
    return exportHead.safeParse(JSON.parse(text.split("\n", 1)[0] ?? "")).success;
  } catch {
    return false;
  }
}

async function importAll(session: Session, file: string): Promise<ExitCode> {
  const receipt = await session.edge.postLines("/v1/import", read(file), importReceipt, LIMIT_MS);
  session.show(receipt, () => receiptTable(receipt));
  for (const { line, ...error } of receipt.errors) {
    session.terminal.tell(`line ${line}: ${formatFieldError(error)}`);
  }
  if (receipt.clusters.length > 0) {
    session.terminal.tell("Next: let each agent call this edge, and have the secret that is shown, where one is.");
  }
  return receipt.errors.length > 0 ? EXIT.Trouble : EXIT.Fine;
}

function read(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8");
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    const name = file === "-" ? "Standard input" : `The file ${file}`;
    throw new CliError(EXIT.Usage, `${name} cannot be read (${code}).`, "Name the file that vedette export made.");
  }
}

function receiptTable({ clusters }: ImportReceipt): string {
  if (clusters.length === 0) return "No cluster was registered.";
  const rows = clusters.map(({ cluster, secret }) => [cluster, secret ?? "as before"]);
  return table(["CLUSTER", "SECRET"], rows);
}
