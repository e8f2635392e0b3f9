import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { until } from "./until.ts";

const LAUNCHER = join(import.meta.dirname, "..", "..", "..", "cli", "vedette.js");

export type Ended = { code: number | NodeJS.Signals; stdout: string; stderr: string };

/** A run of the command-line program, as a process of its own. */
export type Running = {
  readonly stdout: string;
  readonly stderr: string;
  readonly process: ChildProcess;
  /** Waits for a text in what it printed. */
  shows(text: string | RegExp): Promise<void>;
  ended(): Promise<Ended>;
};

/** Starts `vedette …` with these variables, and none of this process that would change what it does. */
export function startProgram(args: readonly string[], env: Record<string, string> = {}): Running {
  return startCommand(process.execPath, [LAUNCHER, ...args], env);
}

/** Runs `vedette …` to its end. */
export function runProgram(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  return startProgram(args, env).ended();
}

/** Runs a line of bash, in which `vedette` is the program, to its end. */
export function runShell(line: string, env: Record<string, string> = {}): Promise<Ended> {
  const named = `vedette() { "${process.execPath}" "${LAUNCHER}" "$@"; }; set -o pipefail; ${line}`;
  return startCommand("bash", ["-c", named], env).ended();
}

/** Starts `vedette …` on a terminal of its own; what is typed goes to its standard input. */
export function startOnTerminal(args: readonly string[], env: Record<string, string> = {}): Running {
  // With a shell between them, the shell's reaction to Ctrl-C would be seen.
  const line = ["exec", ...[process.execPath, LAUNCHER, ...args].map((word) => `'${word}'`)].join(" ");
  return startCommand("script", ["-qefc", line, "/dev/null"], { TERM: "xterm", ...env });
}

/** Starts a command with these variables, and none of this process but where programs and its home are. */
export function startCommand(command: string, args: readonly string[], env: Record<string, string>): Running {
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(command, args, { env: { PATH, HOME, TZ: "UTC", ...env }, stdio: ["pipe", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const end = once(child, "close").then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  return {
    process: child,
    get stdout() {
      return stdout;
    },
    get stderr() {
      return stderr;
    },
    async shows(text) {
      const isThere = () => (typeof text === "string" ? stdout.includes(text) : text.test(stdout));
      await until(`the program to show ${text}`, isThere, undefined, () => stdout + stderr);
    },
    ended: async () => ({ code: await end, stdout, stderr }),
  };
}
