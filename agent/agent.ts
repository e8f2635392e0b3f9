import { Controller, type ControllerOptions } from "./controller.ts";
import { Contact } from "./edge/contact.ts";
import { EdgeConnection } from "./edge/edge-connection.ts";
import { rememberedFiles } from "./plan/accepted-specs.ts";
import type { Published } from "./plan/explain.ts";
import type { DnsServer } from "./publish/dns-server/server.ts";
import { makePublishers } from "./publish/publishers.ts";
import { StatePublisher } from "./publish/state-publisher.ts";
import type { RunningServer } from "./runtime/http-server.ts";
import { type Log, makeLog } from "./runtime/log.ts";
import { repeat } from "./runtime/repeat.ts";
import type { Settings } from "./runtime/settings-schema.ts";
import { serveDns, serveWeb } from "./serve.ts";
import { ManifestSource } from "./sources/file-source.ts";
import { startState, statePath } from "./status/start-state.ts";
import type { State } from "./status/state.ts";
import { saveState } from "./status/state-file.ts";

const POLL_MS = 500;
const MIN_TICK_MS = 20;

export interface AgentHooks {
  /** Called for each change after it is stored and in DNS. */
  onPublished?: (change: Published) => void;
  /** Takes the log lines instead of standard error. */
  log?: Log;
}

export interface RunningAgent {
  dnsPort: number;
  webhookPort: number;
  /** Resolves once all records have been read and deliveries are taken. */
  ready: Promise<void>;
  state(): State;
  /** Ends everything and leaves DNS and the state file as they are. */
  close(): Promise<void>;
}

/**
 * Starts the agent: serves what was in DNS, reads the records, then pushes them to the edge and takes its deliveries.
 * Rejects with a {@link SettingsError} for people when a port or the state file cannot be used.
 */
export async function startAgent(settings: Settings, hooks: AgentHooks = {}): Promise<RunningAgent> {
  const { now } = Date;
  const elapsedMs = () => performance.now();
  const log = hooks.log ?? makeLog(settings.logFormat, (line) => process.stderr.write(`${line}\n`), now);
  const path = await statePath(settings);
  const state = await startState(path, settings, log, now());
  const source = new ManifestSource(settings.records ?? [], rememberedFiles(state.records));
  const contact = new Contact(settings.edgeStaleAfterMs, state.silent, elapsedMs, () => link.heard());
  await using opened = new AsyncDisposableStack();
  const dns = await serveDns(settings, log);
  opened.defer(() => dns.close());
  const link = new EdgeConnection({ settings, core: () => core, reread: () => poll(true), log, now });
  const core: Controller = new Controller(
    {
      ...coreSettings(settings, hooks),
      contact,
      output: new StatePublisher({
        publishers: makePublishers({ settings, serve: (zones) => dns.serve(zones) }),
        save: (next) => saveState(path, next),
        log,
      }),
      onSnapshotChanged: () => link.snapshotChanged(),
      log,
      now,
    },
    state,
  );
  opened.defer(() => core.idle());
  const poll = async (atOnce = false) => core.takeSource(await source.poll(atOnce));
  const web = await serveWeb(settings, core, now);
  opened.defer(() => web.close());
  opened.defer(() => link.stop());
  announce(settings, dns, web, path, log);
  const ready = startLoops(opened, core, contact, poll, log);
  void ready.then(() => link.start());
  const running = opened.move();
  return {
    dnsPort: dns.port,
    webhookPort: web.port,
    ready,
    state: () => core.state,
    close: () => running.disposeAsync(),
  };
}

/** Reads the records and looks for silence from now on. Resolves once all records have been read. */
function startLoops(
  opened: AsyncDisposableStack,
  core: Controller,
  contact: Contact,
  poll: () => Promise<void>,
  log: Log,
): Promise<void> {
  const ready = Promise.withResolvers<void>();
  const read = async () => {
    await poll();
    if (core.isReady) ready.resolve();
  };
  const polling = repeat(read, () => POLL_MS, log);
  opened.defer(() => polling.stop());
  const waiting = repeat(
    () => core.tick(),
    () => nextTickMs(contact),
    log,
  );
  opened.defer(() => waiting.stop());
  return ready.promise;
}

function coreSettings(
  settings: Settings,
  { onPublished = () => {} }: AgentHooks,
): Pick<ControllerOptions, "cluster" | "edgeStaleAfterMs" | "onPublished"> {
  const { cluster, edgeStaleAfterMs } = settings;
  return { cluster, edgeStaleAfterMs, onPublished };
}

/** Silence is looked at when it can begin, and not much sooner. */
function nextTickMs(contact: Contact): number {
  return contact.state === "Silent" ? POLL_MS : Math.max(MIN_TICK_MS, contact.silentInMs);
}

function announce(settings: Settings, dns: DnsServer, web: RunningServer, path: string, log: Log): void {
  const deliveries = settings.pull
    ? `asks ${settings.edgeUrl} for deliveries`
    : `takes deliveries at http://${settings.webhookAddress}:${web.port}/v1/delivery`;
  log("info", `The agent of ${settings.cluster} answers DNS at ${settings.dnsAddress}:${dns.port} and ${deliveries}`);
  log("info", `Records from ${settings.records?.join(", ")}; their status in ${path}`);
}
