import type { Command } from "commander";
import { type Explanation, explainRecord } from "../../shared/explain/record.ts";
import { recordDetail } from "../../shared/model/record-detail.ts";
import { addExamples, type Run } from "../command.ts";
import { CliError, EXIT, type ExitCode } from "../exit-code.ts";
import type { Session } from "../session.ts";

/** `vedette explain` */
export function addExplain(program: Command, run: Run): void {
  const explain = program
    .command("explain")
    .summary("why each address of a record is in DNS or not, step by step")
    .description(
      "Explains the decision on one record, step by step: what is watched, what each region saw, and the verdict on each address. Then follow the consequences for DNS, and advisories. The record's page says the same.",
    )
    .argument("<host>", "the record's root host")
    .action((host: string, _options: object, command: Command) => run(command, (session) => show(session, host)));
  addExamples(explain, [
    ["vedette explain api.example.com", "why an address is withheld"],
    ["vedette explain api.example.com --time-zone UTC", "with times as they stand in logs"],
  ]);
}

async function show(session: Session, host: string): Promise<ExitCode> {
  if (host === "")
    throw new CliError(EXIT.Usage, "The host is empty.", "Give a root host: vedette records lists them.");
  const record = await session.edge.get(`/v1/records/${encodeURIComponent(host)}`, recordDetail);
  const explanation = explainRecord(record, session.clock());
  session.show(explanation, () => explanationText(explanation, session));
  return EXIT.Fine;
}

function explanationText({ summary, steps }: Explanation, { terminal: { style } }: Session): string {
  const parts = steps.map(({ title, lines }) => [style("bold", title), ...lines.map((line) => `  ${line}`)].join("\n"));
  return [summary, ...parts].join("\n\n");
}
