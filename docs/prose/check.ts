/** Checks the English of the documents and comments: `npm run check:prose -- --help`. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { commentBlocks, markdownBlocks } from "./blocks.ts";
import { findingsIn, MAX_WORDS } from "./findings.ts";

const HELP = `Usage: npm run check:prose -- [paths…]

Prints each sentence of the Markdown files and of the comments in TypeScript that has more than ${MAX_WORDS} words,
or a phrase that docs/prose/findings.ts replaces by a plain one. Code blocks and tables are left out.

  paths       files or folders to check; the whole repository by default
  -h, --help  this text

Exits with 1 where something was found.`;

const ROOT = join(import.meta.dirname, "../..");

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: "boolean", short: "h" } },
});
if (values.help) console.log(HELP);
else {
  const found = filesIn(positionals).reduce((sum, file) => sum + print(file), 0);
  if (found > 0) console.error(`${found} findings`);
  process.exitCode = found > 0 ? 1 : 0;
}

/** Paths of the files that Git knows or would add, from the root. */
function filesIn(paths: string[]): string[] {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", ...paths], {
    encoding: "utf8",
  });
  return [...new Set(listed.split("\0"))].filter(
    (file) => /\.(md|tsx?)$/.test(file) && !file.includes("/fixtures/") && existsSync(file),
  );
}

/** Prints what was found in a file, and returns how much that was. */
function print(file: string): number {
  const text = readFileSync(file, "utf8");
  const blocks = file.endsWith(".md") ? markdownBlocks(text) : commentBlocks(file, text);
  const found = blocks.flatMap(findingsIn);
  for (const { line, fault, sentence } of found)
    console.log(`${relative(ROOT, join(process.cwd(), file))}:${line}: ${fault}\n    ${sentence}`);
  return found.length;
}
