import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { endGroup } from "../../../local/child-process.ts";
import { guard } from "./guard.ts";

/** A server program: how it is run and how one sees that it serves. */
export interface Program {
  name: string;
  binary: string;
  args: readonly string[];
  /** Where it runs and its log `<name>.log` is. */
  folder: string;
  /** False, or rejects, until it serves. */
  isReady(): Promise<boolean>;
  /** What its environment has beside HOME (the folder) and PATH. */
  env?: Readonly<Record<string, string>>;
}

const STARTS_WITHIN_MS = 90_000;
const STOPS_WITHIN_MS = 30_000;
const PAUSE_MS = 50;
const SHOWN_LINES = 25;

/** A server program that tests start, stop, halt and start again. It ends with this process at the latest. */
export class Daemon {
  readonly logFile: string;
  readonly #program: Program;
  #running: { child: ChildProcess; pid: number; ended: Promise<unknown> } | undefined;

  constructor(program: Program) {
    this.#program = program;
    this.logFile = join(program.folder, `${program.name}.log`);
  }

  get pid(): number | undefined {
    return this.#running?.pid;
  }

  /** All it has logged, over all its runs. */
  get log(): string {
    return readFileSync(this.logFile, "utf8");
  }

  /** Starts it; resolves when it serves. Throws with the end of its log where it does not. */
  async start(): Promise<void> {
    if (this.#running !== undefined) throw new Error(`${this.#program.name} runs already`);
    this.#spawn();
    const deadline = Date.now() + STARTS_WITHIN_MS;
    while (!(await this.#program.isReady().catch(() => false))) {
      if (this.#running !== undefined && Date.now() < deadline) await pause(PAUSE_MS);
      else {
        await this.stop("SIGKILL");
        throw new Error(`${this.#program.name} does not serve. The end of its log:\n${this.#lastLines()}`);
      }
    }
  }

  /** Ends it, by SIGKILL in the end; resolves when it is gone. One that does not run is no error. */
  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    if (this.#running === undefined) return;
    const { child, pid, ended } = this.#running;
    child.kill(signal);
    // One that was paused takes no signal but these two.
    child.kill("SIGCONT");
    const inTime = await Promise.race([ended.then(() => true), pause(STOPS_WITHIN_MS, false, { ref: false })]);
    if (!inTime) endGroup(pid);
    await ended;
  }

  /** Halts it: its connections stay open and nothing answers. */
  pause(): void {
    this.#running?.child.kill("SIGSTOP");
  }

  resume(): void {
    this.#running?.child.kill("SIGCONT");
  }

  #spawn(): void {
    const { binary, args, folder, env, name } = this.#program;
    const log = openSync(this.logFile, "a");
    const child = spawn(binary, args, {
      cwd: folder,
      // A group of its own: a terminal's Ctrl-C reaches the tests alone, which then end it in order.
      detached: true,
      env: { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: folder, ...env },
      stdio: ["ignore", log, log],
    });
    closeSync(log);
    child.on("error", () => undefined); // Reported below: there is no process id then.
    const { pid } = child;
    if (pid === undefined) throw new Error(`${name} could not be started: is ${binary} there and executable?`);
    const release = guard({ group: pid });
    const ended = once(child, "exit").then(() => {
      release();
      this.#running = undefined;
    });
    this.#running = { child, pid, ended };
  }

  #lastLines(): string {
    return this.log.trimEnd().split("\n").slice(-SHOWN_LINES).join("\n");
  }
}
