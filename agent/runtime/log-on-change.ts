import type { Level, Log } from "./log.ts";

/** Logs a lasting problem once, and its end once, however often it is reported. */
export class LogOnChange {
  readonly #log: Log;
  readonly #standing = new Map<string, string>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Reports the state of a subject. `undefined` means no problem; `mended` is the line that is logged when it ends. */
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

  /** Reports all problems of one kind. Each is logged when it is new. */
  noteAll(subject: string, messages: readonly string[]): void {
    const wanted = new Set(messages.map((message) => `${subject} ${message}`));
    for (const key of this.#standing.keys()) {
      if (key.startsWith(`${subject} `) && !wanted.has(key)) this.#standing.delete(key);
    }
    for (const message of messages) this.note(`${subject} ${message}`, message);
  }
}
