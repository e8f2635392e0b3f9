export type Level = "info" | "warn";

/** Writes one line an event: a sentence for people, and with `json` the fields beside it. */
export type Log = (level: Level, message: string, fields?: Readonly<Record<string, unknown>>) => void;

/**
 * @param write takes a line without its end
 * @param now Unix ms
 */
export function makeLog(format: "text" | "json", write: (line: string) => void, now: () => number): Log {
  return (level, message, fields = {}) => {
    const time = new Date(now()).toISOString();
    if (format === "json") write(JSON.stringify({ time, level, message, ...fields }));
    else write(`${time} ${level === "warn" ? "! " : ""}${oneLine(message)}`);
  };
}

const oneLine = (text: string) => text.replace(/\s*\p{Cc}+\s*/gu, " ");
