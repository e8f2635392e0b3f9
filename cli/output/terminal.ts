import { styleText } from "node:util";

export type Style = Parameters<typeof styleText>[0];

/** What the program needs of `process.stdout`. */
type Stream = Pick<NodeJS.WriteStream, "isTTY" | "columns" | "rows"> & { write(text: string): unknown };

/** Standard output and error. Colours go to a terminal only, and not there either where they are not wanted. */
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

  /** What was asked for, to standard output. */
  print(text: string): void {
    this.#out.write(`${text}\n`);
  }

  /** Writes as it is, such as the commands of a terminal. */
  raw(text: string): void {
    this.#out.write(text);
  }

  /** Words beside what was asked for, to standard error. */
  tell(text: string): void {
    this.#err.write(`${text}\n`);
  }

  readonly style = (style: Style, text: string): string =>
    this.#hasColours ? styleText(style, text, { validateStream: false }) : text;
}

/** https://no-color.org: set to anything but nothing. */
export function wantsColours(color: boolean, env: NodeJS.ProcessEnv): boolean {
  return color && !env.NO_COLOR && env.TERM !== "dumb";
}
