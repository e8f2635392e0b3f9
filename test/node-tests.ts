import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What the Workers runtime itself does is under test here: its WebCrypto and its sockets. */
const RUNTIME_UNDER_TEST = "workers/prober/tls/";
/** An import that leaves something at run time: `import type` does not. */
const IMPORT = /^(?:import|export)\s(?!type\s)(?:[^"';]*\sfrom\s)?"([^"]+)"/gm;
/** A module or global of workerd, or a server that only the projects of workerd start. */
const OF_WORKERD = /^import\s(?!type\s)[^;]*"cloudflare:|\binject\("(?!allPropertyRuns)|\bscheduler\./m;

const known = new Map<string, Set<string>>();

/** The files that a file imports, however indirectly, and itself; relative to the root. */
export function importsOf(root: string, file: string): ReadonlySet<string> {
  const found = known.get(join(root, file));
  if (found !== undefined) return found;
  const files = new Set([file]);
  known.set(join(root, file), files);
  for (const [, name = ""] of textOf(root, file).matchAll(IMPORT)) {
    if (!name.startsWith(".") || !name.endsWith(".ts")) continue;
    for (const one of importsOf(root, join(dirname(file), name))) files.add(one);
  }
  return files;
}

const textOf = (root: string, file: string) => readFileSync(join(root, file), "utf8");

/** Whether a test needs nothing of the Workers runtime, neither itself nor what it imports. */
export function testsInNode(root: string, test: string): boolean {
  if (test.startsWith(RUNTIME_UNDER_TEST)) return false;
  return [...importsOf(root, test)].every((file) => !OF_WORKERD.test(textOf(root, file)));
}

/** The tests below `workers/` that need nothing of the Workers runtime. They run in Node, which starts sooner. */
export function nodeTestsOfWorkers(root: string): string[] {
  return globSync("workers/**/*.test.ts", { cwd: root })
    .filter((test) => testsInNode(root, test))
    .sort();
}
