import { styleText } from "node:util";

export type Style = Parameters<typeof styleText>[0];

/** The part of `process.stdout` that the program uses. */
type Stream = Pick<NodeJS.WriteStream, "isTTY" | "columns" | "rows"> & { write(text: string): unknown };

/** Standard output and error. Only a terminal gets colours, unless they are disabled. */
export class Terminal {
  readonly #out: Stream;
  readonly #err: Stream;
  readonly #hasColours: boolean;

  constructor(out: Stream, err: Stream, wantsColours: boolean) {
    this.#out = out;
    this.#err = err;
    this.#hasColours = wantsColours && out.isTTY === true;
  }

  get isInteractive(): boolean {
    return this.#out.isTTY === true;
  }

  get rows(): number {
    return this.#out.rows || Number.POSITIVE_INFINITY;
  }

  get columns(): number {
    return this.#out.columns || Number.POSITIVE_INFINITY;
  }

  /** Writes results to standard output. */
  print(text: string): void {
    this.#out.write(`${text}\n`);
  }

  /** Writes raw text, such as terminal control sequences. */
  raw(text: string): void {
    this.#out.write(text);
  }

  /** Writes notes to standard error. */
  tell(text: string): void {
    this.#err.write(`${text}\n`);
  }

  readonly style = (style: Style, text: string): string =>
    this.#hasColours ? styleText(style, text, { validateStream: false }) : text;
}

/** https://no-color.org: any value but the empty string disables colours. */
export function wantsColours(color: boolean, env: NodeJS.ProcessEnv): boolean {
  return color && !env.NO_COLOR && env.TERM !== "dumb";
}

/** Colours repeat what the word says. An unknown word of a newer edge has no colour. */
const STYLES: Partial<Record<string, Style>> = {
  Critical: ["red", "bold"],
  Unhealthy: "red",
  failed: "red",
  Degraded: "red",
  Warning: "yellow",
  Pending: "yellow",
  Unknown: "yellow",
  Silent: "yellow",
  indeterminate: "yellow",
  NotProbed: "dim",
  Healthy: "green",
  ok: "green",
};

/** Returns the style of a state, a verdict or an outcome. */
export const styleOf = (word: string): Style => STYLES[word] ?? "reset";
