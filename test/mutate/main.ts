import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { importsOf, testsInNode } from "../node-tests.ts";
import { random, shuffled } from "../support/random.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";

/*
 * Changes the rules one place at a time and runs the tests that import the changed file. A change that no test notices is
 * printed. The tests run on a copy, so that the working tree stays as it is.
 */
const ROOT = join(import.meta.dirname, "..", "..");
const FOLDERS = ["shared", "workers/coordinator", "workers/prober/probe", "agent/plan"];
/** Tests outside of the folder itself that are about its rules. */
const MORE_TESTS: Record<string, string[]> = { shared: ["test/sim"] };
/** A change that makes a loop endless is noticed by this. */
const LIMIT_MS = 300_000;
const USAGE = "usage: npm run mutate -- [--sample <number>] [--seed <number>] [folder or file …]";

type Case = { folder: string; file: string; mutant: Mutant };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: "string" }, seed: { type: "string", default: "1" }, help: { type: "boolean" } },
});
if (values.help) console.log(USAGE);
else await main();

async function main(): Promise<void> {
  const all = (positionals.length > 0 ? positionals : FOLDERS).flatMap(casesIn);
  const cases = shuffled(all, random(Number(values.seed))).slice(0, Number(values.sample ?? all.length));
  const copy = copyOf(ROOT);
  const killed = new Map<string, [killed: number, all: number]>();
  try {
    // Where tests fail without a change, every mutant would count as killed.
    const tests = new Set(cases.flatMap(({ folder, file }) => testsOf(folder, file)));
    if (!(await passes(copy, [...tests]))) throw new Error("the tests fail, or take too long, without a change");
    for (const [index, one] of cases.entries()) {
      const isKilled = await isNoticed(copy, one);
      const [before, count] = killed.get(one.folder) ?? [0, 0];
      killed.set(one.folder, [before + Number(isKilled), count + 1]);
      const at = `${one.file}:${one.mutant.line}`;
      if (!isKilled) console.log(`survived  ${at}  ${one.mutant.change}`);
      process.stderr.write(`\r${index + 1} of ${cases.length} `);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  for (const [folder, [some, count]] of killed) {
    console.log(`${folder}: ${some} of ${count} killed (${((100 * some) / count).toFixed(1)} %)`);
  }
}

function casesIn(path: string): Case[] {
  const folder = FOLDERS.find((one) => path === one || path.startsWith(`${one}/`)) ?? path;
  const files = path.endsWith(".ts") ? [path] : globSync(`${path}/**/*.ts`, { cwd: ROOT });
  return files
    .filter((file) => !/\.test\.ts$|\/fixtures\//.test(file))
    .sort()
    .flatMap((file) =>
      mutantsOf(file, readFileSync(join(ROOT, file), "utf8")).map((mutant) => ({ folder, file, mutant })),
    );
}

/** A copy of the tree, built parts included, that shares the installed packages. */
function copyOf(root: string): string {
  const copy = mkdtempSync(join(tmpdir(), "vedette-mutate-"));
  const isLeftOut = (name: string) => /^(node_modules|\.git|\.wrangler)(\/|$)/.test(name);
  cpSync(root, copy, { recursive: true, filter: (from) => !isLeftOut(relative(root, from)) });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

async function isNoticed(copy: string, { folder, file, mutant }: Case): Promise<boolean> {
  const path = join(copy, file);
  const source = readFileSync(join(ROOT, file), "utf8");
  const tests = testsOf(folder, file);
  if (tests.length === 0) return false;
  writeFileSync(path, source.slice(0, mutant.start) + mutant.text + source.slice(mutant.end));
  try {
    return !(await passes(copy, tests));
  } finally {
    writeFileSync(path, source);
  }
}

/** The tests of the folder that import the file, however indirectly. */
function testsOf(folder: string, file: string): string[] {
  const tests = [folder, ...(MORE_TESTS[folder] ?? [])].flatMap((one) =>
    globSync(`${one}/**/*.test.ts`, { cwd: ROOT }),
  );
  return tests.filter((test) => importsOf(ROOT, test).has(file));
}

async function passes(copy: string, tests: string[]): Promise<boolean> {
  const projects = tests.every((test) => testsInNode(ROOT, test)) ? ["node"] : ["node", "workers"];
  const args = ["run", "--bail", "1", "--maxWorkers", "1", "--reporter", "dot"];
  const chosen = projects.flatMap((name) => ["--project", name]);
  const program = join(copy, "node_modules", "vitest", "vitest.mjs");
  const run = spawn(process.execPath, [program, ...args, ...chosen, ...tests], { cwd: copy, stdio: "ignore" });
  const timer = setTimeout(() => run.kill("SIGKILL"), LIMIT_MS);
  const [code] = await once(run, "exit");
  clearTimeout(timer);
  return code === 0;
}
