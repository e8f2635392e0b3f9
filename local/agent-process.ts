import { startAgent } from "../agent/agent.ts";
import { readSettings } from "../agent/settings.ts";
import { runAsChild } from "./child-side.ts";

/** Child process: the agent, set up by its environment as in a cluster. */
await runAsChild(async () => {
  const settings = readSettings([], process.env);
  if (settings === "help") throw new Error("no flag was given");
  const agent = await startAgent(settings);
  return () => agent.close();
});
