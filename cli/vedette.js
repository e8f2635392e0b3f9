#!/usr/bin/env node
// Starts the program with a Node that runs its TypeScript. Plain JavaScript that an old Node reads, too: it has to say what is missing.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import * as nodeModule from "node:module";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const LEAST_NODE = 24;
const main = new URL("main.ts", import.meta.url);

if (Number.parseInt(process.versions.node, 10) >= LEAST_NODE) await start();
else startElsewhere(ownNode());

async function start() {
  if (fileURLToPath(main).split(/[\\/]/).includes("node_modules")) stripTypesHere();
  await import(main.href);
}

/** Node strips no types of what lies under node_modules, where an installed program is. */
function stripTypesHere() {
  const root = new URL("..", import.meta.url).href;
  silenceStripping();
  nodeModule.registerHooks({
    load(url, context, nextLoad) {
      const isOurs = url.startsWith(root) && url.endsWith(".ts") && !url.slice(root.length).includes("node_modules/");
      if (!isOurs) return nextLoad(url, context);
      const source = nodeModule.stripTypeScriptTypes(readFileSync(fileURLToPath(url), "utf8"));
      return { format: "module", source, shortCircuit: true };
    },
  });
}

/** Stripping types by hand is announced as experimental, on each run of the program: nothing that its user could act on. */
function silenceStripping() {
  const { emitWarning } = process;
  process.emitWarning = (warning, ...more) => {
    if (!`${warning}`.startsWith("stripTypeScriptTypes")) emitWarning.call(process, warning, ...more);
  };
}

/** The Node of the npm package `node`, which a clone of the project has; undefined where it is not installed. */
function ownNode() {
  try {
    const require = nodeModule.createRequire(import.meta.url);
    return join(dirname(require.resolve("node/package.json")), "bin", "node");
  } catch {
    return undefined;
  }
}

/** The child has this one's terminal and group: Ctrl-C reaches both, and this one waits for its end. */
function startElsewhere(node) {
  if (node === undefined) {
    process.stderr.write(
      `vedette needs Node ${LEAST_NODE} or later; this is ${process.version}. Install it, for instance with: npm install -g node@${LEAST_NODE}\n`,
    );
    process.exitCode = 2;
    return;
  }
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  process.on("SIGINT", () => {});
  for (const name of ["SIGTERM", "SIGHUP"]) process.on(name, () => child.kill(name));
  child.on("error", (error) => {
    process.stderr.write(
      `vedette: its Node cannot be started: ${error.message}. Run npm ci in the project's folder.\n`,
    );
    process.exitCode = 2;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}
