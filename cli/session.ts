import { stringify } from "yaml";
import { type Clock, clockIn } from "../shared/explain/clock.ts";
import { accessOf } from "./edge/access.ts";
import { EdgeClient } from "./edge/client.ts";
import { CliError, EXIT } from "./exit-code.ts";
import { Terminal, wantsColours } from "./output/terminal.ts";

export const OUTPUTS = ["table", "json", "yaml"] as const;

/** The options of every command. */
export interface Globals {
  edge: string;
  tokenFile?: string;
  output: (typeof OUTPUTS)[number];
  color: boolean;
  timeZone?: string;
}

/** The environment of the program. A test can replace any part. */
export interface Surroundings {
  env: NodeJS.ProcessEnv;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  /** Unix ms. */
  now: () => number;
  /** Aborts when the user ends a watch. A command that does not read it is ended by the signal itself. */
  ending: () => AbortSignal;
}

/** One run of one command. */
export class Session {
  readonly globals: Globals;
  readonly terminal: Terminal;
  readonly #surroundings: Surroundings;
  #edge: EdgeClient | undefined;

  constructor(globals: Globals, surroundings: Surroundings) {
    const { stdout, stderr, env } = surroundings;
    this.globals = globals;
    this.terminal = new Terminal(stdout, stderr, wantsColours(globals.color, env));
    this.#surroundings = surroundings;
  }

  /** Made on first use, because a command without the edge needs no access. */
  get edge(): EdgeClient {
    const { edge, tokenFile } = this.globals;
    this.#edge ??= new EdgeClient(accessOf(edge, tokenFile, this.#surroundings.env));
    return this.#edge;
  }

  ending(): AbortSignal {
    return this.#surroundings.ending();
  }

  now(): number {
    return this.#surroundings.now();
  }

  /** Formats times in the zone of `--time-zone`, or of the machine. */
  clock(nowMs = this.now()): Clock {
    try {
      return clockIn(nowMs, this.globals.timeZone);
    } catch {
      const next = "Give an IANA name such as Europe/Vienna, or UTC, with --time-zone.";
      throw new CliError(EXIT.Usage, `There is no time zone ${JSON.stringify(this.globals.timeZone)}.`, next);
    }
  }

  /** Prints data as JSON or YAML, or as text with `table`. */
  show(data: unknown, table: () => string): void {
    this.terminal.print(this.text(data, table));
  }

  /** Prints one item of a stream: JSON on one line, or YAML as its own document. */
  showNext(data: unknown, table: () => string): void {
    const { output } = this.globals;
    if (output === "json") this.terminal.print(JSON.stringify(data));
    else this.terminal.print((output === "yaml" ? "---\n" : "") + this.text(data, table));
  }

  text(data: unknown, table: () => string): string {
    switch (this.globals.output) {
      case "json":
        return JSON.stringify(data, undefined, 2);
      case "yaml":
        return stringify(data, { lineWidth: 0 }).trimEnd();
      case "table":
        return table();
    }
  }
}
