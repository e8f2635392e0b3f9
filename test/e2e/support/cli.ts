import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { listProcesses } from "../../../local/pid-file.ts";
import { PATIENCE_MS } from "./records.ts";
import { until } from "./until.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");

/** A stack that was started as a person starts it. */
export type Cli = {
  process: ChildProcess;
  readonly output: string;
  /** Waits for a text in the output. */
  shows(text: string | RegExp, limitMs?: number): Promise<void>;
  /** As a terminal does on Ctrl-C: to the whole foreground group. */
  signal(name: NodeJS.Signals): void;
  /** Its exit code, or the signal that ended it. */
  ended(): Promise<number | NodeJS.Signals>;
};

/** Runs `npm start -- …`, or the script alone where a test has to know its process. */
export function startCli(args: readonly string[], through: "npm" | "node" = "node"): Cli {
  const command = through === "npm" ? ["npm", "start", "--"] : [process.execPath, "local/start.ts"];
  const [program = "", ...words] = [...command, ...args];
  const child = spawn(program, words, { cwd: ROOT, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  const exit = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  return {
    process: child,
    get output() {
      return output;
    },
    async shows(text, limitMs = PATIENCE_MS) {
      const there = () => (typeof text === "string" ? output.includes(text) : text.test(output));
      await until(`the output ${text}`, there, limitMs, () => output);
    },
    signal(name) {
      if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? Number.NaN), name);
    },
    ended: () => exit,
  };
}

/** Processes of a stack that runs in the state folder, and of the groups it started. */
export function processesOf(folder: string, groups: readonly number[]): string[] {
  return listProcesses()
    .filter(({ command, group }) => command.includes(folder) || groups.includes(group))
    .map(({ pid, command }) => `${pid} ${command.slice(0, 120)}`);
}
