import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listProcesses } from "../../../local/pid-file.ts";
import { until } from "../../e2e/support/until.ts";
import type { Held } from "./guarded-process.ts";

test("what a test run started goes when the run is killed", async () => {
  const run = fork(join(import.meta.dirname, "guarded-process.ts"), { execArgv: [] });
  const [{ pid, folder }] = (await once(run, "message")) as [Held];
  const runs = () => listProcesses().some((process) => process.pid === pid);
  expect(runs()).toBe(true);
  run.kill("SIGKILL");
  await until("the program to end", () => !runs());
  await until("its folder to go", () => !existsSync(folder));
});
