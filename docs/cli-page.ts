import type { Argument, Command, Option } from "commander";
import { examplesOf } from "../cli/command.ts";
import { EXIT_MEANINGS } from "../cli/exit-code.ts";
import { createProgram } from "../cli/program.ts";

const INTRO = `# The command line

\`vedette\` shows in a terminal, and to scripts, what [the edge](design.md) sees and decides. From a clone of this repository:

\`\`\`sh
npm ci
npx vedette status                      # of the stack that npm start has started
npx vedette status --edge https://vedette.example.workers.dev
npm link                                # once, and it is just: vedette status
\`\`\`

**Access.** \`--edge\` or \`VEDETTE_EDGE\` names the edge. The token comes from \`VEDETTE_TOKEN\`, or from the file that
\`--token-file\` names. It never comes from the command line, which every user of a machine can read. The \`VIEW_TOKEN\` of the edge is enough to
read; \`check\` and \`cluster\` need its \`ADMIN_TOKEN\` ([settings](edge-settings.md)). The token is sent over https only, except to this machine. The local
stack keeps its own in \`.vedette/demo/secrets.json\`:

\`\`\`sh
export VEDETTE_TOKEN=$(node -p 'require("./.vedette/demo/secrets.json").adminToken')
npx vedette check https://shop.example.test:8443/healthz --address 127.0.0.11
\`\`\`

**For scripts.** \`-o json\` and \`-o yaml\` print the edge's whole answer (its \`/openapi.json\` describes it), also fields that this version does not know. Messages
that are not part of the answer go to standard error. With \`--follow\` and
\`--watch\` JSON is one answer a line, and YAML one a document. If the reader closes the pipe, the program ends
without an error, at the latest with the next event.

| exit code | meaning |
|---|---|
${Object.entries(EXIT_MEANINGS)
  .map(([code, meaning]) => `| ${code} | ${meaning} |`)
  .join("\n")}

SIGTERM ends a watch with 143 and SIGHUP with 129, as in shells.

**Completion.** \`source <(vedette completion bash)\` in \`~/.bashrc\`; [for zsh and fish](#vedette-completion) too.`;

/** The reference of the command line, made from its tree of commands. */
export function cliPage(): string {
  const program = createProgram(() => Promise.resolve());
  const globals = ["## Options of every command", optionTable(program, program.options)];
  return [INTRO, ...globals, ...program.commands.flatMap(sections)].join("\n\n");
}

function sections(command: Command): string[] {
  if (command.commands.length > 0) return command.commands.flatMap(sections);
  const name = nameOf(command);
  const options = command.options.length > 0 ? ["[options]"] : [];
  const usage = [name, ...options, command.usage().replace(/^\[options\] ?/, "")].join(" ").trim();
  const examples = examplesOf(command).map(([line, meaning]) => `# ${meaning}\n${line}`);
  return [
    `## ${name}`,
    `\`${usage}\``,
    command.description(),
    ...(command.registeredArguments.length > 0 ? [argumentTable(command.registeredArguments)] : []),
    ...(command.options.length > 0 ? [optionTable(command, command.options)] : []),
    ["```sh", ...examples, "```"].join("\n"),
  ];
}

function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}

function argumentTable(given: readonly Argument[]): string {
  const rows = given.map((one) => [`\`${one.name()}\``, one.description + choicesOf(one.argChoices)]);
  return tableOf(["argument", "meaning"], rows);
}

function optionTable(command: Command, options: readonly Option[]): string {
  const help = command.createHelp();
  const rows = options.map((one) => {
    const env = one.envVar === undefined ? "" : `, \`${one.envVar}\``;
    const shown = one.defaultValueDescription ?? one.defaultValue;
    const preset =
      typeof shown === "string" || typeof shown === "number" ? `\`${shown}\`` : one.mandatory ? "required" : "";
    return [`\`${help.optionTerm(one)}\`${env}`, preset, one.description + choicesOf(one.argChoices)];
  });
  return tableOf(["option", "default", "meaning"], rows);
}

const choicesOf = (choices: readonly string[] | undefined) =>
  choices === undefined ? "" : `: ${choices.map((choice) => `\`${choice}\``).join(", ")}`;

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = rows.map((row) => `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`);
  return [`| ${head.join(" | ")} |`, `|${head.map(() => "---|").join("")}`, ...lines].join("\n");
}
