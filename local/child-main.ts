import { join } from "node:path";
import type { Log } from "../agent/runtime/log.ts";
import type { ChildMessage } from "./child-process.ts";
import type { EdgePlan } from "./parts.ts";
import { kill, listProcesses } from "./pid-file.ts";
import { HOST } from "./plan.ts";

type LogLine = { timestamp: number; level: string; message: string };

const GRACE_MS = 3_000;
/** How each part starts; each child loads only its own modules. Each function resolves with the function that stops it. */
const PARTS = { edge: runEdge, agent: runAgent };

/*
 * The child's half of child-process.ts: starts the part, reports ready, and ends with the parent. The channel closes when the parent
 * stops the child and also when the parent is killed. Either way the whole group ends, workerd included.
 */
const parentGone = new Promise<void>((resolve) => process.once("disconnect", resolve));
if (process.connected) await run(PARTS[process.argv[2] as keyof typeof PARTS]);

async function run(start: () => Promise<() => Promise<void>>): Promise<void> {
  try {
    const stop = await Promise.race([start(), parentGone]);
    if (stop === undefined) return endGroup();
    send({ ready: true });
    await parentGone;
    setTimeout(endGroup, GRACE_MS);
    await stop();
  } catch (error) {
    console.error(error);
    if (process.connected)
      await new Promise((sent) => process.send?.({ failed: lastCause(error as Error).message }, sent));
  }
  // In two steps: wrangler removes its temporary files on exit.
  for (const { pid, group } of listProcesses()) if (group === process.pid && pid !== process.pid) kill(pid);
  process.exit();
}

/** The agent, configured by its environment as in a cluster. */
async function runAgent(): Promise<() => Promise<void>> {
  const { startAgent } = await import("../agent/agent.ts");
  const { makeLog } = await import("../agent/runtime/log.ts");
  const { readSettings } = await import("../agent/runtime/settings.ts");
  const settings = readSettings([], process.env);
  if (settings === "help") throw new Error("no flag was given");
  const write = makeLog(settings.logFormat, console.error, Date.now);
  const log: Log = (level, message, fields) => {
    write(level, message, fields);
    if (level === "warn") send({ warning: `agent: ${message}` });
  };
  const agent = await startAgent(settings, { log });
  return () => agent.close();
}

/** The edge in wrangler's workerd. Its plan is in the environment, which other users' processes cannot read. */
async function runEdge(): Promise<() => Promise<void>> {
  const { unstable_startWorker: startWorker } = await import("wrangler");
  const plan = JSON.parse(process.env.EDGE_PLAN ?? "") as EdgePlan;
  const worker = await startWorker({
    config: plan.config ?? join(import.meta.dirname, "..", "wrangler.toml"),
    // The user's own .env and .dev.vars are not for this stack.
    envFiles: [],
    // As secrets, so that wrangler never prints a value.
    bindings: Object.fromEntries(
      Object.entries(plan.settings).map(([name, value]) => [name, { type: "secret_text", value }]),
    ),
    dev: {
      server: { hostname: HOST, port: plan.port },
      inspector: false,
      watch: false,
      persist: plan.state,
      structuredLogsHandler: ({ timestamp, level, message }: LogLine) =>
        console.log(`${new Date(timestamp).toISOString()} ${level} ${message}`),
    },
  });
  await worker.ready;
  return () => worker.dispose();
}

function send(message: ChildMessage): void {
  if (process.connected) process.send?.(message);
}

/** The innermost error: the outer ones only say that the start failed. */
function lastCause(error: Error): Error {
  return error.cause instanceof Error ? lastCause(error.cause) : error;
}

/** Ends the whole process group. A declaration, because the top-level await above runs before a constant would exist. */
function endGroup(): void {
  kill(-process.pid);
}
