import { describe, expect, it } from "vitest";
import { makeLog } from "./log.ts";
import { LogOnChange } from "./log-on-change.ts";

describe("the log", () => {
  it("writes a line a message, whatever the message holds", () => {
    const lines: string[] = [];
    const log = makeLog(
      "text",
      (line) => lines.push(line),
      () => 0,
    );
    log("info", "one\r\n  two\u001b[31m", { hidden: 1 });
    log("warn", "three");
    expect(lines).toEqual(["1970-01-01T00:00:00.000Z one two [31m", "1970-01-01T00:00:00.000Z ! three"]);
  });

  it("writes JSON with the fields", () => {
    const lines: string[] = [];
    makeLog(
      "json",
      (line) => lines.push(line),
      () => 0,
    )("info", "one\ntwo", { host: "x.test" });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { time: "1970-01-01T00:00:00.000Z", level: "info", message: "one\ntwo", host: "x.test" },
    ]);
  });
});

describe("a lasting trouble", () => {
  it("is told once, when it changes, and when it is over", () => {
    const lines: string[] = [];
    const noted = new LogOnChange((_, message) => lines.push(message));
    for (const message of ["a", "a", undefined, undefined, "a", "b", "b"]) noted.note("edge", message, "over");
    expect(lines).toEqual(["a", "over", "a", "b"]);
  });

  it("of several of one kind is told for each that comes", () => {
    const lines: string[] = [];
    const noted = new LogOnChange((_, message) => lines.push(message));
    for (const messages of [["a", "b"], ["b", "c"], [], ["b"]]) noted.noteAll("file", messages);
    expect(lines).toEqual(["a", "b", "c", "b"]);
  });
});
