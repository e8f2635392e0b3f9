import type { Command } from "commander";
import { addExamples, type Run } from "../command.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { type Linted, type LintFault, lint } from "../lint/lint.ts";
import type { Session } from "../session.ts";

/** `vedette lint` */
export function addLint(program: Command, run: Run): void {
  const command = program
    .command("lint")
    .summary("find every fault in manifests, before they are applied")
    .description(
      "Reads manifests of DNSRecords, DNSHealthCheckPolicies and Secrets as the agent does, and tells every fault with file, document, field, value and rule. Of a folder its own .yaml, .yml and .json files are read; objects of others are passed over. Needs no edge.",
    )
    .argument("<manifests...>", "files and folders; - is standard input")
    .action((paths: string[], _options: object, own: Command) => run(own, (session) => show(session, paths)));
  addExamples(command, [
    ["vedette lint records/", "a folder"],
    ["kustomize build . | vedette lint -", "what would be applied"],
    ["vedette lint api.yaml -o json", "for an editor or a pipeline"],
  ]);
}

async function show(session: Session, paths: readonly string[]): Promise<ExitCode> {
  const linted = await lint(paths);
  session.show(linted, () => lintText(linted, session));
  return linted.faults.length > 0 ? EXIT.Trouble : EXIT.Fine;
}

function lintText({ files, kinds, faults, notes }: Linted, { terminal: { style } }: Session): string {
  const seen = Object.entries(kinds).map(([kind, count]) => `${count} ${kind}`);
  const documents = seen.length > 0 ? seen.join(", ") : "nothing of Vedette's";
  const found =
    faults.length === 0
      ? style("green", "no fault")
      : style("red", `${faults.length} ${faults.length === 1 ? "fault" : "faults"}`);
  return [
    ...faults.map((fault) => line(fault, style("red", "fault"))),
    ...notes.map((note) => line(note, style("yellow", "note"))),
    `${files} ${files === 1 ? "file" : "files"}, ${documents}: ${found}`,
  ].join("\n");
}

function line({ file, line: row, column, document, object, field, value, rule }: LintFault, word: string): string {
  const place = [file, row, column].filter((part) => part !== undefined).join(":");
  const which = [document === undefined ? undefined : `document ${document}`, object].filter(
    (part) => part !== undefined,
  );
  const what = [field === undefined ? undefined : `${field}:`, value, rule].filter((part) => part !== undefined);
  return `${[place, word, which.join(" ")].filter((part) => part !== "").join(" ")}: ${what.join(" ")}`;
}
