import { Argument, type Command } from "commander";
import { addExamples, type Run } from "../command.ts";
import { bashScript } from "../completion/bash.ts";
import { type CommandNode, commandNodes } from "../completion/command-nodes.ts";
import { fishScript } from "../completion/fish.ts";
import { zshScript } from "../completion/zsh.ts";
import { EXIT } from "../exit-code.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } satisfies Record<
  string,
  (places: readonly CommandNode[]) => string
>;
const SHELLS = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];

/** `vedette completion` */
export function addCompletion(program: Command, run: Run): void {
  const completion = program
    .command("completion")
    .summary("a script that lets a shell complete what is typed")
    .description("Prints a script that lets the shell complete commands, options and their values.")
    .addArgument(new Argument("<shell>", "which shell").choices(SHELLS))
    .action((shell: keyof typeof SCRIPTS, _options: object, command: Command) =>
      run(command, ({ terminal }) => {
        terminal.raw(SCRIPTS[shell](commandNodes(program)));
        return EXIT.Fine;
      }),
    );
  addExamples(completion, [
    ["source <(vedette completion bash)", "in ~/.bashrc"],
    ["source <(vedette completion zsh)", "in ~/.zshrc, after compinit"],
    ["vedette completion fish > ~/.config/fish/completions/vedette.fish", "once"],
  ]);
}
