import { describe, expect, it } from "vitest";
import { cut } from "../watch.ts";
import { table } from "./table.ts";
import { Terminal, wantsColours } from "./terminal.ts";

const red = (text: string) => `\x1b[31m${text}\x1b[39m`;

describe("a table", () => {
  it("has columns as wide as what is seen of their cells, and no blanks at the end", () => {
    expect(
      table(
        ["A", "STATE", "Z"],
        [
          ["one", red("bad"), "x"],
          ["fourteen", "good", ""],
        ],
      ),
    ).toBe(["A         STATE  Z", `one       ${red("bad")}    x`, "fourteen  good"].join("\n"));
  });

  it("of nothing is its head", () => {
    expect(table(["A", "B"], [])).toBe("A  B");
  });
});

describe("a line that is too long for the terminal", () => {
  it.each([
    ["short", 5, "short"],
    ["longer", 5, "long…"],
    [`${red("abc")}def`, 6, `${red("abc")}def`],
    [`${red("abc")}def`, 3, `${red("ab")}…`],
    ["", 1, ""],
  ])("%j in %i columns", (line, columns, expected) => {
    expect(cut(line, columns)).toBe(expected);
  });
});

describe("colours", () => {
  const styled = (isTTY: boolean, color: boolean, env: NodeJS.ProcessEnv) => {
    const stream = { isTTY, columns: 80, rows: 24, write: () => true };
    return new Terminal(stream, stream, wantsColours(color, env)).style("red", "x");
  };

  it.each<[boolean, boolean, NodeJS.ProcessEnv, boolean]>([
    [true, true, {}, true],
    [false, true, {}, false],
    [true, false, {}, false],
    [true, true, { NO_COLOR: "1" }, false],
    [true, true, { NO_COLOR: "" }, true],
    [true, true, { TERM: "dumb" }, false],
    [false, true, { FORCE_COLOR: "1" }, false],
  ])("on a terminal: %s, wanted: %s, with %j: %s", (isTTY, color, env, expected) => {
    expect(styled(isTTY, color, env)).toBe(expected ? red("x") : "x");
  });
});
