import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { claim, listProcesses, PID_FILE } from "./pid-file.ts";

const folders: string[] = [];
function folderOf(): string {
  const folder = mkdtempSync(join(tmpdir(), "vedette-pidfile-"));
  folders.push(folder);
  return folder;
}
const children: ReturnType<typeof spawn>[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A process that waits, in a group of its own, with the given words in its command line. */
async function spawnIdle(...words: string[]) {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000); console.log('up')", "--", ...words], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  children.push(child);
  await once(child.stdout ?? child, "data");
  return child;
}

const startOf = (pid: number | undefined) => listProcesses().find((one) => one.pid === pid)?.started ?? "";

test("a folder that another running stack holds is not taken", async () => {
  const folder = folderOf();
  const other = await spawnIdle();
  const entry = { pid: other.pid, started: startOf(other.pid), groups: [] };
  writeFileSync(join(folder, PID_FILE), JSON.stringify(entry));
  expect(claim(folder)).toEqual({ runningAs: other.pid });
});

test("what a killed stack left behind is ended, and nothing else", async () => {
  const folder = folderOf();
  const left = await spawnIdle("workerd");
  const stranger = await spawnIdle("someone-else");
  const entry = { pid: 1, started: "not when process 1 started", groups: [left.pid, stranger.pid] };
  writeFileSync(join(folder, PID_FILE), JSON.stringify(entry));
  const ended = once(left, "exit");
  expect(claim(folder)).not.toHaveProperty("runningAs");
  expect(await ended).toEqual([null, "SIGKILL"]);
  expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
});

test.each(["", "{", "null", '{"pid":1}'])("a file cut off by a crash (%j) does not stop the next run", (text) => {
  const folder = folderOf();
  writeFileSync(join(folder, PID_FILE), text);
  expect(claim(folder)).not.toHaveProperty("runningAs");
});

test("process groups are noted as they start, and the file goes with the stack", () => {
  const folder = folderOf();
  const claimed = claim(folder);
  if ("runningAs" in claimed) throw new Error("the folder was free");
  claimed.addGroup(123);
  expect(JSON.parse(readFileSync(join(folder, PID_FILE), "utf8"))).toMatchObject({ pid: process.pid, groups: [123] });
  claimed.release();
  expect(() => readFileSync(join(folder, PID_FILE))).toThrow();
});
