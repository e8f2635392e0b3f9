import { describe, expect, it } from "vitest";
import { commentBlocks, markdownBlocks } from "./blocks.ts";
import { findingsIn } from "./findings.ts";

const LONG = `The prober ${"really ".repeat(24)}dials.`;
const faults = (text: string) => markdownBlocks(text).flatMap(findingsIn);

describe("the prose check", () => {
  it("counts the words of a sentence, and takes code for one", () => {
    expect(faults(LONG.replace("really ", ""))).toEqual([expect.objectContaining({ fault: "26 words" })]);
    expect(faults(LONG.replace("really really ", ""))).toEqual([]);
    expect(faults(`Run \`${"many words ".repeat(20)}\` and [look](https://example.test/a b c).`)).toEqual([]);
  });

  it("names the line that a sentence begins at", () => {
    const text = `# Title\n\nA short one. ${LONG.replaceAll(" ", "\n")}`;
    expect(faults(text)).toEqual([{ line: 3, fault: "27 words", sentence: LONG.replaceAll("\n", " ") }]);
    expect(faults(`- One.\n- Two.\n\n1. ${LONG}`)).toMatchObject([{ line: 4 }]);
  });

  it("leaves out code blocks, tables and HTML comments", () => {
    expect(faults(`\`\`\`sh\n${LONG}\n\`\`\`\n\n| ${LONG} |\n|---|\n\n<!-- ${LONG}\n -->\nFine.`)).toEqual([]);
  });

  it("finds phrases, with what to write instead", () => {
    expect(faults("The address is told.")).toMatchObject([
      { fault: expect.stringMatching(/^"told": write "reported"/) },
    ]);
    expect(faults("The setting `told` is read.")).toEqual([]);
  });

  it("reads the comments of TypeScript, and no strings", () => {
    const source = `const a = "// ${LONG}";\n/**\n * Two\n * lines, and no more.\n */\n// One thought\n// on two lines.\nlet b;`;
    const blocks = commentBlocks("x.ts", source);
    expect(blocks.map(({ line, text }) => [line, text.trim().replaceAll(/\s+/g, " ")])).toEqual([
      [3, "Two lines, and no more."],
      [6, "One thought on two lines."],
    ]);
  });
});
