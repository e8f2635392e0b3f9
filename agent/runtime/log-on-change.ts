import type { Level, Log } from "./log.ts";

/** Says a lasting trouble once, and once that it is over, however often it is met: the log stays calm. */
export class LogOnChange {
  readonly #log: Log;
  readonly #standing = new Map<string, string>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** `undefined` says that there is none (any more); `mended` is the line for that. */
  note(subject: string, message: string | undefined, mended?: string, level: Level = "warn"): void {
    const before = this.#standing.get(subject);
    if (message === before) return;
    if (message === undefined) {
      this.#standing.delete(subject);
      if (mended !== undefined) this.#log("info", mended);
      return;
    }
    this.#standing.set(subject, message);
    this.#log(level, message);
  }

  /** Several troubles of one kind, each said when it comes. */
  noteAll(subject: string, messages: readonly string[]): void {
    const wanted = new Set(messages.map((message) => `${subject} ${message}`));
    for (const key of this.#standing.keys()) {
      if (key.startsWith(`${subject} `) && !wanted.has(key)) this.#standing.delete(key);
    }
    for (const message of messages) this.note(`${subject} ${message}`, message);
  }
}
