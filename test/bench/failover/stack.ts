import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChildHooks } from "../../../local/child-process.ts";
import { callScheduled, registerCluster, startAgent, startCron, startEdge } from "../../../local/parts.ts";
import { HOST } from "../../../local/plan.ts";
import { freePort } from "../../support/free-port.ts";
import { Tap } from "./tap.ts";

const EDGE_STALE_AFTER_MS = 300_000;
/** Every write of hundreds of objects would be waited for on this machine's one disk, which no object has where it really runs. */
const IN_MEMORY = "/dev/shm";

/** Edge, agent, and the tap between them. */
export interface BenchStack {
  tap: Tap;
  dns: { host: string; port: number };
  /** Writes a file of records that the agent reads, or takes it away where there is no text. */
  write(file: string, text: string | undefined): void;
  stop(): Promise<void>;
}

/**
 * Starts the parts as `npm start` does, with the tap before the agent's webhook. What they log is in a folder that goes with
 * them. @param roots PEM @param canary address with port, where somebody always answers
 */
export async function startBenchStack(roots: string, canary: string): Promise<BenchStack> {
  const folder = mkdtempSync(join(existsSync(IN_MEMORY) ? IN_MEMORY : tmpdir(), "vedette-failover-"));
  const records = join(folder, "records");
  mkdirSync(records);
  const closers = new AsyncDisposableStack();
  closers.defer(() => rmSync(folder, { recursive: true, force: true }));
  const ports = { edge: await freePort(), agent: await freePort(), dns: await freePort(), control: 0, gateway: 0 };
  const edgeUrl = `http://${HOST}:${ports.edge}`;
  const hooks = (name: string): ChildHooks => ({
    logFile: join(folder, `${name}.log`),
    onGroup: () => undefined,
    // Of records that the bench itself has taken away, which are all that the agent has to tell.
    onWarning: () => undefined,
  });
  try {
    const settings = settingsOf(roots, canary);
    const edgeProcess = await startEdge({ port: ports.edge, state: join(folder, "edge"), settings }, hooks("edge"));
    closers.defer(() => edgeProcess.stop());
    await callScheduled(edgeUrl);
    closers.defer(startCron(edgeUrl, (message) => console.error(message)));

    const tap = new Tap(`http://${HOST}:${ports.agent}`);
    const tapPort = await freePort();
    await tap.listen(HOST, tapPort);
    closers.defer(() => tap.stop());
    const registration = { hosts: ["*.test"], webhookUrl: `http://${HOST}:${tapPort}/v1/delivery` };
    const secret = await registerCluster(edgeUrl, settings.ADMIN_TOKEN, registration, undefined);
    const state = join(folder, "agent.state.json");
    const agent = { ports, edgeUrl, secret, records, state, edgeStaleAfterMs: EDGE_STALE_AFTER_MS };
    const agentProcess = await startAgent(agent, hooks("agent"));
    closers.defer(() => agentProcess.stop());

    const write = (file: string, text: string | undefined) =>
      text === undefined ? rmSync(join(records, file)) : writeFileSync(join(records, file), text);
    return { tap, dns: { host: HOST, port: ports.dns }, write, stop: () => closers.disposeAsync() };
  } catch (error) {
    await closers.disposeAsync();
    throw error;
  }
}

const settingsOf = (roots: string, canary: string) => ({
  ADMIN_TOKEN: randomBytes(16).toString("hex"),
  ALLOW_PRIVATE_ADDRESSES: "true",
  CANARIES: canary,
  COLO_URL: "",
  EXTRA_ROOTS: roots,
  EDGE_STALE_AFTER: `${EDGE_STALE_AFTER_MS}ms`,
});
