import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What the Workers runtime itself does is under test here: its WebCrypto and its sockets. */
const RUNTIME_UNDER_TEST = "workers/prober/tls/";
/** An import that leaves something at run time: `import type` does not. */
const IMPORT = /^(?:import|export)\s(?!type\s)(?:[^"';]*\sfrom\s)?"([^"]+)"/gm;

/** A server that only the project of workerd starts, or a global that Node lacks. */
const OF_WORKERD = /\binject\("(?!allPropertyRuns)|\bscheduler\./;

/**
 * The tests below `workers/` that need nothing of the Workers runtime. Neither they nor what they import, however
 * indirectly, imports a `cloudflare:` module, uses a global of workerd, or calls a server that the tests in workerd share.
 * They run in Node, which starts sooner; all others run in workerd.
 */
export function nodeTestsOfWorkers(root: string): string[] {
  const needsRuntime = new Map<string, boolean>();
  const needs = (file: string): boolean => {
    const known = needsRuntime.get(file);
    if (known !== undefined) return known;
    needsRuntime.set(file, false);
    const text = readFileSync(join(root, file), "utf8");
    const imports = [...text.matchAll(IMPORT)].map(([, name = ""]) => name);
    const isOwn = (name: string) => name.startsWith(".") && name.endsWith(".ts");
    const answer =
      OF_WORKERD.test(text) ||
      imports.some((name) => name.startsWith("cloudflare:") || (isOwn(name) && needs(join(dirname(file), name))));
    needsRuntime.set(file, answer);
    return answer;
  };
  const tests = globSync("workers/**/*.test.ts", { cwd: root });
  return tests.filter((file) => !file.startsWith(RUNTIME_UNDER_TEST) && !needs(file)).sort();
}
