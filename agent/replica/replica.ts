import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { NO_NUMBER } from "../../shared/number.ts";
import type { AgentHooks } from "../agent.ts";
import type { Applied } from "../controller.ts";
import { forwardToLeader } from "../edge/forward-to-leader.ts";
import { acknowledge, makeWebhook, parseJson, type SignedDelivery } from "../edge/webhook.ts";
import { KubeClient } from "../kubernetes/client.ts";
import { AgentMetrics } from "../metrics/metrics.ts";
import type { DnsServer } from "../publish/dns-server/server.ts";
import { publishes } from "../publish/publishers.ts";
import { listen, type RunningServer } from "../runtime/http-server.ts";
import { type Log, makeLog } from "../runtime/log.ts";
import { makeOperations } from "../runtime/operations.ts";
import { repeat } from "../runtime/repeat.ts";
import type { Settings } from "../runtime/settings-schema.ts";
import { cannotListen, serveDns } from "../serve.ts";
import { apiAccess } from "./api-access.ts";
import { isChanges, resultOf } from "./delivery-result.ts";
import { FollowerDns } from "./follower-dns.ts";
import { Informers } from "./informers.ts";
import { LeaderSession } from "./leader-session.ts";
import { Leadership } from "./leadership.ts";
import { storedState } from "./load-state.ts";
import { PendingDecisions } from "./pending-decisions.ts";

/** So often the leader may fail to renew within its lease before it is lost. */
const RENEWALS = 3;
const SYNC_POLL_MS = 100;

/**
 * Starts the agent as a replica in a Kubernetes cluster: it watches, stands for election, and works while it leads.
 * Rejects with a {@link SettingsError} for problems that a person can fix: a port in use, a missing service account.
 */
export async function startReplica(settings: Settings, hooks: AgentHooks = {}): Promise<Replica> {
  const log = hooks.log ?? makeLog(settings.logFormat, (line) => process.stderr.write(`${line}\n`), Date.now);
  const replica = new Replica(settings, hooks, log);
  try {
    await replica.start();
    return replica;
  } catch (error) {
    await replica.close();
    throw error;
  }
}

/** One of the agent's processes in a cluster. */
export class Replica {
  readonly #settings: Settings;
  readonly #hooks: AgentHooks;
  readonly #log: Log;
  readonly #namespace: string;
  readonly #client: KubeClient;
  readonly #metrics: AgentMetrics;
  readonly #caches: Informers;
  readonly #identity: string;
  readonly #unstored: PendingDecisions;
  readonly #closing = new AbortController();
  readonly #opened = new AsyncDisposableStack();
  #dns: DnsServer | undefined;
  #web: RunningServer | undefined;
  #operations: RunningServer | undefined;
  #follower: FollowerDns | undefined;
  #leadership: Leadership | undefined;

  constructor(settings: Settings, hooks: AgentHooks, log: Log) {
    const { config, namespace } = apiAccess(settings);
    this.#settings = settings;
    this.#hooks = hooks;
    this.#log = log;
    this.#namespace = namespace;
    this.#identity = `${settings.podName ?? hostname()}_${randomUUID()}`;
    this.#unstored = new PendingDecisions(settings.cluster);
    this.#metrics = new AgentMetrics({ contact: () => this.#term?.contact });
    this.#client = new KubeClient(config, { onRequest: (about) => this.#metrics.observeRequest(about) });
    this.#caches = new Informers({
      client: this.#client,
      resyncMs: settings.resyncMs,
      hasEndpoints: publishes(settings, "external-dns"),
      onChange: (kind, before, after) => {
        this.#term?.changed(kind, before, after);
        this.#follower?.changed(kind);
      },
      onStateChange: () => this.#term?.kindsChanged(),
      log,
    });
  }

  get isLeader(): boolean {
    return this.#leadership?.isLeader ?? false;
  }

  get webhookPort(): number {
    return this.#web?.port ?? 0;
  }

  get operationsPort(): number {
    return this.#operations?.port ?? 0;
  }

  async start(): Promise<void> {
    const settings = this.#settings;
    if (publishes(settings, "embedded")) await this.#serveDns();
    this.#web = await this.#listenForDeliveries();
    this.#operations = await this.#listenForOperations();
    this.#leadership = this.#stand();
    this.#caches.start();
    this.#opened.defer(() => this.#caches.stop());
    const leadership = this.#leadership;
    this.#opened.defer(() => leadership.stop());
    // Who has not read everything must not lead: it would take what it has not read for gone.
    const standing = repeat(
      async () => {
        if (this.#caches.isSynced) leadership.start();
      },
      () => SYNC_POLL_MS,
      this.#log,
    );
    this.#opened.defer(() => standing.stop());
    this.#announce();
  }

  /** Ends the work, gives the leadership back, and leaves DNS and all objects as they are. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#opened.disposeAsync();
  }

  get #term(): LeaderSession | undefined {
    return this.#leadership?.term;
  }

  async #serveDns(): Promise<void> {
    const dns = await serveDns(this.#settings, this.#log);
    this.#dns = dns;
    this.#opened.defer(() => dns.close());
    const follower = new FollowerDns({
      settings: this.#settings,
      caches: this.#caches,
      unstored: this.#unstored,
      client: this.#client,
      namespace: this.#namespace,
      serve: (zones) => dns.serve(zones),
      // One that leads and cannot begin its work yet serves as a follower does.
      isLeader: () => this.#term !== undefined,
      log: this.#log,
    });
    this.#follower = follower;
    this.#opened.defer(() => follower.stop());
  }

  async #listenForDeliveries(): Promise<RunningServer> {
    const { webhookAddress: address, webhookPort: port, pull, secret } = this.#settings;
    const receiver = makeWebhook({
      secrets: pull ? undefined : secret,
      isReady: () => this.#caches.isSynced,
      apply: (json) => this.#apply(json),
      forward: (delivery) => (this.isLeader ? undefined : this.#handOn(delivery)),
      onRejected: (why) => this.#metrics.countDelivery(why),
      now: Date.now,
    });
    const web = await listen(receiver, address, port).catch(cannotListen("deliveries", address, port, "--webhook"));
    this.#opened.defer(() => web.close());
    return web;
  }

  async #apply(json: unknown): Promise<Applied> {
    const term = this.#term;
    const applied = term?.isReady ? await term.apply(json) : ({ kind: "NotStored" } as const);
    this.#metrics.countDelivery(resultOf(applied, json));
    return (applied.kind === "NotStored" ? this.#keep(json) : undefined) ?? applied;
  }

  async #handOn(delivery: SignedDelivery): Promise<Response> {
    this.#metrics.countDelivery("forwarded");
    const answer = await forwardToLeader(delivery, this.#leadership?.forwardTo, this.#closing.signal);
    const instead = answer.status === 503 ? this.#keep(parseJson(delivery.body)) : undefined;
    return instead === undefined ? answer : acknowledge(instead);
  }

  /**
   * A failover in this replica's DNS waits for no API server; the edge is asked to come again until it is stored. To changes
   * there is an answer: that nothing is held which they stand on, so that the whole comes at once.
   */
  #keep(json: unknown): Extract<Applied, { kind: "Applied" }> | undefined {
    if (!this.#caches.isSynced) return undefined;
    if (this.#follower !== undefined && isChanges(json))
      return { kind: "Applied", number: NO_NUMBER, takesChanges: false };
    const held = { settings: this.#settings, caches: this.#caches };
    if (this.#unstored.take(json, storedState(held).hosts)) this.#follower?.changed();
    return undefined;
  }

  async #listenForOperations(): Promise<RunningServer> {
    const { operationsAddress: address, operationsPort: port } = this.#settings;
    const operations = makeOperations({
      notReady: () => this.#caches.notReady(),
      scrape: () => this.#metrics.scrape(),
    });
    const web = await listen(operations, address, port).catch(
      cannotListen("metrics and health checks", address, port, "--operations"),
    );
    this.#opened.defer(() => web.close());
    return web;
  }

  #stand(): Leadership {
    const { cluster, leaderLeaseMs: leaseMs, forwardAddress, webhookAddress } = this.#settings;
    const forwardTo = forwardAddress ?? webhookAddress;
    const host = forwardTo.includes(":") ? `[${forwardTo}]` : forwardTo;
    return new Leadership({
      client: this.#client,
      cluster,
      namespace: this.#namespace,
      identity: this.#identity,
      leaseMs,
      renewMs: Math.floor(leaseMs / RENEWALS),
      forwardTo: `http://${host}:${this.webhookPort}`,
      begin: (leads) => this.#begin(leads),
      onChange: (isLeader) => {
        this.#metrics.setLeader(isLeader);
        this.#follower?.changed();
      },
      log: this.#log,
      now: Date.now,
      elapsedMs: () => performance.now(),
      random: Math.random,
    });
  }

  #begin(isLeader: () => boolean): Promise<LeaderSession> {
    return LeaderSession.begin({
      settings: this.#settings,
      hooks: this.#hooks,
      namespace: this.#namespace,
      identity: this.#identity,
      client: this.#client,
      caches: this.#caches,
      metrics: this.#metrics,
      serve: (zones) => this.#dns?.serve(zones),
      isLeader,
      unstored: this.#unstored,
      log: this.#log,
    });
  }

  #announce(): void {
    const { cluster, pull, edgeUrl, webhookAddress, operationsAddress } = this.#settings;
    const deliveries = pull
      ? `asks ${edgeUrl} for deliveries`
      : `takes deliveries at http://${webhookAddress}:${this.webhookPort}/v1/delivery`;
    const dns = this.#dns === undefined ? "" : `, answers DNS at ${this.#settings.dnsAddress}:${this.#dns.port}`;
    this.#log("info", `The agent of ${cluster} ${deliveries}${dns}`);
    this.#log("info", `Metrics and health checks at http://${operationsAddress}:${this.operationsPort}`);
  }
}
