import { Command, CommanderError, Option } from "commander";
import manifest from "../package.json" with { type: "json" };
import { addExamples, type Run } from "./command.ts";
import { addCheck } from "./commands/check.ts";
import { addCluster } from "./commands/cluster.ts";
import { addCompletion } from "./commands/completion.ts";
import { addCost } from "./commands/cost.ts";
import { addEvents } from "./commands/events.ts";
import { addExplain } from "./commands/explain.ts";
import { addLint } from "./commands/lint.ts";
import { addExport, addImport } from "./commands/move.ts";
import { addProbes } from "./commands/probes.ts";
import { addRecords } from "./commands/records.ts";
import { addStatus } from "./commands/status.ts";
import { CliError, EXIT, EXIT_MEANINGS, type ExitCode } from "./exit-code.ts";
import { type Globals, OUTPUTS, Session, type Surroundings } from "./session.ts";

/** The commands, in the order of the help. */
const COMMANDS = [
  addStatus,
  addExplain,
  addRecords,
  addProbes,
  addEvents,
  addCheck,
  addCost,
  addLint,
  addCluster,
  addExport,
  addImport,
  addCompletion,
];

/** The tree of commands. The help, the completions and docs/cli.md are made from it. */
export function createProgram(run: Run): Command {
  const program = new Command("vedette")
    .description("Shows what Vedette's edge sees and decides, and looks after what it watches.")
    .version(manifest.version, "-V, --version", "show the version")
    .addOption(
      new Option("--edge <url>", "the edge's URL; without it that of the local stack of npm start")
        .env("VEDETTE_EDGE")
        .default("http://127.0.0.1:8787"),
    )
    .option("--token-file <file>", "a file with the token, - for standard input; without it VEDETTE_TOKEN is taken")
    .addOption(new Option("-o, --output <format>", "how to show answers").choices(OUTPUTS).default("table"))
    .option("--no-color", "no colours; nor are there any with NO_COLOR, or where the output is no terminal")
    .option("--time-zone <zone>", "for times, an IANA name such as UTC; without it the machine's zone")
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help for a command")
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError("Add --help for what there is.")
    .exitOverride();
  for (const add of COMMANDS) add(program, run);
  addExamples(program, [
    ["vedette status", "what is out of DNS, and since when"],
    ["vedette explain api.example.com", "why"],
  ]);
  program.addHelpText("after", `\nExit codes:\n${exitCodes()}`);
  return program;
}

function exitCodes(): string {
  return Object.entries(EXIT_MEANINGS)
    .map(([code, meaning]) => `  ${code}  ${meaning}`)
    .join("\n");
}

/** Runs one command line without the program's name. Resolves to the exit code. */
export async function run(argv: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  let code: ExitCode = EXIT.Fine;
  const program = createProgram(async (command, work) => {
    code = await work(new Session(command.optsWithGlobals<Globals>(), surroundings));
  });
  try {
    await program.parseAsync(argv, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.Fine : EXIT.Usage;
    if (!(error instanceof CliError)) throw error;
    surroundings.stderr.write(`vedette: ${error.message}\n  ${error.next}\n`);
    return error.code;
  }
}
