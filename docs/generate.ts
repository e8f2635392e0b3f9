/**
 * Writes the reference pages from the schemas, so that a field, a default and a limit are declared once.
 * `npm run generate` writes them; with `--check` it only fails where one is out of date.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { pages } from "./pages.ts";
import { fieldTable } from "./table.ts";

const check = process.argv.includes("--check");
let stale = 0;

for (const page of pages()) {
  const schema = z.toJSONSchema(page.schema, { io: "input", unrepresentable: "any" });
  const text = `<!-- Made by npm run generate from ${page.source}. Do not edit. -->\n\n${page.intro}\n${fieldTable(schema)}`;
  const file = join(import.meta.dirname, page.file);
  if (existsSync(file) && readFileSync(file, "utf8") === text) continue;
  stale += 1;
  if (check) console.error(`docs/${page.file} is out of date: run npm run generate`);
  else writeFileSync(file, text);
}

process.exitCode = check && stale > 0 ? 1 : 0;
