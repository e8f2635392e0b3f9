import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { INSTALL, type ServerName } from "./case.ts";

export interface Running {
  port: number;
  stop: () => Promise<void>;
}

/** Where the program of a server is; undefined where it is not installed. */
export function binaryOf(server: Exclude<ServerName, "Node">): string | undefined {
  return INSTALL[server].binaries.find((path) => existsSync(path));
}

const STARTS_WITHIN_MS = 10_000;

/** Runs a server until it is stopped; resolves when it accepts. Throws with what it said where it ends before. */
export async function run(binary: string, args: string[], folder: string, port: number): Promise<Running> {
  const child = spawn(binary, args, { cwd: folder, env: { PATH: "/usr/bin:/bin", HOME: folder }, stdio: "pipe" });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (octets) => {
      said = `${said}${octets}`.slice(-2_000);
    });
  }
  const deadline = Date.now() + STARTS_WITHIN_MS;
  while (!(await accepts(port))) {
    if (child.exitCode === null && Date.now() < deadline) await pause(20);
    else {
      await end(child);
      throw new Error(`${binary} ${args.join(" ")} does not serve on port ${port}: ${said}`);
    }
  }
  return { port, stop: () => end(child) };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}
