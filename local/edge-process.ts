import { unstable_startWorker } from "wrangler";
import { runAsChild } from "./child-side.ts";
import type { EdgePlan } from "./edge.ts";

/** Child process: the edge in wrangler's workerd. Its plan comes in the environment, which no other process can read. */
await runAsChild(async () => {
  const plan = JSON.parse(process.env.EDGE_PLAN ?? "") as EdgePlan;
  const worker = await unstable_startWorker({
    config: plan.config,
    // The user's own .env and .dev.vars are not for this stack.
    envFiles: [],
    // As secrets, so that wrangler never prints a value.
    bindings: Object.fromEntries(
      Object.entries(plan.settings).map(([name, value]) => [name, { type: "secret_text", value }]),
    ),
    dev: {
      server: { hostname: plan.host, port: plan.port },
      inspector: false,
      watch: false,
      persist: plan.state,
      structuredLogsHandler: logLine,
    },
  });
  await worker.ready;
  return () => worker.dispose();
});

function logLine(log: { timestamp: number; level: string; message: string }): void {
  console.log(`${new Date(log.timestamp).toISOString()} ${log.level} ${log.message}`);
}
