import { Argument, type Command } from "commander";
import { addExamples, type Run } from "../command.ts";
import { bashScript } from "../completion/bash.ts";
import { fishScript } from "../completion/fish.ts";
import { type Place, placesOf } from "../completion/words.ts";
import { zshScript } from "../completion/zsh.ts";
import { EXIT } from "../exit.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } satisfies Record<
  string,
  (places: readonly Place[]) => string
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
        terminal.raw(SCRIPTS[shell](placesOf(program)));
        return EXIT.Fine;
      }),
    );
  addExamples(completion, [
    ["source <(vedette completion bash)", "in ~/.bashrc"],
    ["source <(vedette completion zsh)", "in ~/.zshrc, after compinit"],
    ["vedette completion fish > ~/.config/fish/completions/vedette.fish", "once"],
  ]);
}
