import { type Command, InvalidArgumentError } from "commander";
import { formatDurationMs, parseDurationMs } from "../shared/model/duration.ts";
import { canonicalHost } from "../shared/model/host.ts";
import type { ExitCode } from "./exit-code.ts";
import type { Session } from "./session.ts";

/** The action of a command. Resolves to the exit code. */
export type Work = (session: Session) => Promise<ExitCode> | ExitCode;
/** Runs the action of the chosen command. */
export type Run = (command: Command, work: Work) => Promise<void>;

/** An example command line with its description. */
export type Example = readonly [line: string, meaning: string];

const EXAMPLES = new WeakMap<Command, readonly Example[]>();

/** Adds examples to the command's help. */
export function addExamples(command: Command, examples: readonly Example[]): void {
  EXAMPLES.set(command, examples);
  const lines = examples.map(([line, meaning]) => `  ${line}\n      ${meaning}`);
  command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
}

export const examplesOf = (command: Command): readonly Example[] => EXAMPLES.get(command) ?? [];

/** Parser for an option that repeats, and that takes several values separated by commas. */
export function listOf<Value extends string>(choices?: readonly Value[]) {
  return (text: string, before: Value[] | undefined): Value[] => {
    const given = text.split(",").map((part) => part.trim());
    const unknown = given.find((part) => part === "" || (choices && !(choices as readonly string[]).includes(part)));
    if (unknown !== undefined) {
      throw new InvalidArgumentError(
        choices ? `${JSON.stringify(unknown)} is none of ${choices.join(", ")}.` : "A value is empty.",
      );
    }
    return [...new Set([...(before ?? []), ...(given as Value[])])];
  };
}

/** As {@link listOf}, for host names. Normalizes each host as the edge does. */
export function hosts(text: string, before: string[] | undefined): string[] {
  const named = listOf()(text, undefined).map((given) => {
    const read = canonicalHost(given, true);
    if ("rule" in read) throw new InvalidArgumentError(`${JSON.stringify(given)} ${read.rule}.`);
    return read.host;
  });
  return [...new Set([...(before ?? []), ...named])];
}

/** Parser for a duration option, in milliseconds. */
export function durationMs(minMs: number, maxMs: number) {
  return (text: string): number => {
    const value = parseDurationMs(text);
    if (value !== undefined && value >= minMs && value <= maxMs) return value;
    throw new InvalidArgumentError(
      `It must be a duration such as "2s", from ${formatDurationMs(minMs)} to ${formatDurationMs(maxMs)}.`,
    );
  };
}

/** Parser for a whole number. */
export function wholeNumber(min: number, max: number) {
  return (text: string): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}
