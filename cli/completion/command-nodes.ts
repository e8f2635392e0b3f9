import type { Command, Option } from "commander";

/** The completions that are possible after a command. */
export interface CommandNode {
  /** The path of command names, without the program's name. */
  path: readonly string[];
  commands: readonly { name: string; summary: string }[];
  options: readonly OptionNode[];
  /** The known values of an argument. */
  argument: Values;
}

export interface OptionNode {
  flags: readonly string[];
  description: string;
  /** Undefined for an option without a value. */
  values: Values | undefined;
}

export type Values = { kind: "Choices"; choices: readonly string[] } | { kind: "Files" } | { kind: "Any" };

/** Placeholders with these names take file names. */
const FILES = /^(file|manifests)$/;

/** Makes the completions of a program from its tree of commands, so that nothing is declared twice. */
export function commandNodes(program: Command): CommandNode[] {
  return placesUnder(program, []);
}

function placesUnder(command: Command, path: readonly string[]): CommandNode[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const own = help.visibleOptions(command);
  const globals =
    path.length === 0 ? [] : rootOf(command).options.filter(({ hidden, long }) => !hidden && long !== "--version");
  const place: CommandNode = {
    path,
    commands: commands.map((one) => ({ name: one.name(), summary: one.summary() || one.description() })),
    options: [...own, ...globals].map(wordsOf),
    argument: argumentOf(command),
  };
  return [place, ...command.commands.flatMap((one) => placesUnder(one, [...path, one.name()]))];
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}

function wordsOf(option: Option): OptionNode {
  const flags = [option.short, option.long].filter((flag) => flag !== undefined);
  return { flags, description: option.description, values: takesValue(option) ? valuesOf(option) : undefined };
}

const takesValue = ({ required, optional }: Option) => required || optional;

function valuesOf({ argChoices, flags }: Option): Values {
  if (argChoices !== undefined) return { kind: "Choices", choices: argChoices };
  return FILES.test(/<(.+?)>/.exec(flags)?.[1] ?? "") ? { kind: "Files" } : { kind: "Any" };
}

function argumentOf({ registeredArguments: [first] }: Command): Values {
  if (first?.argChoices !== undefined) return { kind: "Choices", choices: first.argChoices };
  return FILES.test(first?.name() ?? "") ? { kind: "Files" } : { kind: "Any" };
}

/** All options that take a value. The argument after one of them is no command. */
export function valueFlags(places: readonly CommandNode[]): string[] {
  const taking = places.flatMap(({ options }) => options.filter(({ values }) => values !== undefined));
  return [...new Set(taking.flatMap(({ flags }) => flags))].sort();
}
