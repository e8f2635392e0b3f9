import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Daemon } from "./daemon.ts";
import { guard } from "./guard.ts";

/** What the process tells its parent once it has something to lose. */
export interface Held {
  pid: number | undefined;
  folder: string;
}

/** Starts a program in a folder, and then waits to be killed. */
const folder = mkdtempSync(join(tmpdir(), "vedette-guard-"));
guard({ folder });
const daemon = new Daemon({ name: "sleep", binary: "/bin/sleep", args: ["600"], folder, isReady: async () => true });
await daemon.start();
process.send?.({ pid: daemon.pid, folder } satisfies Held);
