/**
 * Writes the reference pages and the custom resource definitions from the schemas, the metrics and the tree of commands. So a field, a
 * default and a limit are declared once. `npm run generate` writes them. With `--check` it only fails where one is out of date.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { cliPage } from "./cli-page.ts";
import { definitionOf, fileOf } from "./crd/definition.ts";
import { KINDS } from "./crd/kinds.ts";
import { metricsPage } from "./metrics-page.ts";
import { pages } from "./pages.ts";
import { fieldTable } from "./table.ts";

const ROOT = join(import.meta.dirname, "..");
const check = process.argv.includes("--check");
let stale = 0;

for (const [path, text] of [...pageFiles(), cliFile(), metricsFile(), ...definitionFiles()]) {
  const file = join(ROOT, path);
  if (existsSync(file) && readFileSync(file, "utf8") === text) continue;
  stale += 1;
  if (check) console.error(`${path} is out of date: run npm run generate`);
  else {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

process.exitCode = check && stale > 0 ? 1 : 0;

function pageFiles(): [path: string, text: string][] {
  return pages().map(({ file, source, intro, schema, status }) => {
    const head = `<!-- Made by npm run generate from ${source}. Do not edit. -->`;
    const parts = [head, intro.trimEnd(), tableOf(schema), ...(status ? ["## Status", tableOf(status)] : [])];
    return [`docs/${file}`, `${parts.join("\n\n")}\n`];
  });
}

function cliFile(): [path: string, text: string] {
  return ["docs/cli.md", `<!-- Made by npm run generate from cli/. Do not edit. -->\n\n${cliPage()}\n`];
}

function metricsFile(): [path: string, text: string] {
  return ["docs/metrics.md", metricsPage()];
}

function tableOf(schema: z.ZodType): string {
  return fieldTable(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" })).trimEnd();
}

function definitionFiles(): [path: string, text: string][] {
  return KINDS.map((kind) => [
    `deploy/crds/${fileOf(kind)}`,
    `# Made by npm run generate from shared/model/. Do not edit.\n${definitionOf(kind)}`,
  ]);
}
