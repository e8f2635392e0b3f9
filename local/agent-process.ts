import { startAgent } from "../agent/agent.ts";
import { type Log, makeLog } from "../agent/runtime/log.ts";
import { readSettings } from "../agent/runtime/settings.ts";
import { runAsChild, say } from "./child-side.ts";

/** Child process: the agent, set up by its environment as in a cluster. */
await runAsChild(async () => {
  const settings = readSettings([], process.env);
  if (settings === "help") throw new Error("no flag was given");
  const write = makeLog(settings.logFormat, console.error, Date.now);
  const log: Log = (level, message, fields) => {
    write(level, message, fields);
    if (level === "warn") say({ trouble: `agent: ${message}` });
  };
  const agent = await startAgent(settings, { log });
  return () => agent.close();
});
