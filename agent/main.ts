import { startAgent } from "./agent.ts";
import { startReplica } from "./replica/replica.ts";
import { helpText, readSettings, SettingsError } from "./runtime/settings.ts";

/** Starts the agent as a process; SIGTERM and SIGINT end it, and what is in DNS and what is stored stays. */
async function main(): Promise<void> {
  const settings = readSettings(process.argv.slice(2), process.env);
  if (settings === "help") return void process.stdout.write(helpText());
  const agent = settings.kubernetes ? await startReplica(settings) : await startAgent(settings);
  const end = Promise.withResolvers<void>();
  process.once("SIGTERM", () => end.resolve());
  process.once("SIGINT", () => end.resolve());
  await end.promise;
  await agent.close();
}

try {
  await main();
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
