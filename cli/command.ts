import { type Command, InvalidArgumentError } from "commander";
import { formatDurationMs, parseDurationMs } from "../shared/model/duration.ts";
import { canonicalHost } from "../shared/model/host.ts";
import type { ExitCode } from "./exit.ts";
import type { Session } from "./session.ts";

/** What a command does; gives the code to end with. */
export type Work = (session: Session) => Promise<ExitCode> | ExitCode;
/** Runs the work of a command that was chosen. */
export type Run = (command: Command, work: Work) => Promise<void>;

/** A command line, and what it is for. */
export type Example = readonly [line: string, meaning: string];

const EXAMPLES = new WeakMap<Command, readonly Example[]>();

/** Puts examples under the command's help. */
export function addExamples(command: Command, examples: readonly Example[]): void {
  EXAMPLES.set(command, examples);
  const lines = examples.map(([line, meaning]) => `  ${line}\n      ${meaning}`);
  command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
}

export const examplesOf = (command: Command): readonly Example[] => EXAMPLES.get(command) ?? [];

/** For an option that may be given several times, and takes several values with commas between them. */
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

/** For an option that names hosts, as {@link listOf}: in the form that the edge keeps them in. */
export function hosts(text: string, before: string[] | undefined): string[] {
  const named = listOf()(text, undefined).map((given) => {
    const read = canonicalHost(given, true);
    if ("rule" in read) throw new InvalidArgumentError(`${JSON.stringify(given)} ${read.rule}.`);
    return read.host;
  });
  return [...new Set([...(before ?? []), ...named])];
}

/** For an option that is a duration: milliseconds. */
export function durationMs(minMs: number, maxMs: number) {
  return (text: string): number => {
    const value = parseDurationMs(text);
    if (value !== undefined && value >= minMs && value <= maxMs) return value;
    throw new InvalidArgumentError(
      `It must be a duration such as "2s", from ${formatDurationMs(minMs)} to ${formatDurationMs(maxMs)}.`,
    );
  };
}

/** For an option that is a whole number. */
export function wholeNumber(min: number, max: number) {
  return (text: string): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}
