import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { type RecordStatus, recordStatus } from "../shared/model/status.ts";
import { type Child, type ChildHooks, endGroup, makePart, type Part } from "./child-process.ts";
import { serveControl } from "./control.ts";
import { type Answer, askWatched, WatchedRecords, watchDns } from "./dns-watch.ts";
import type { StackPlan } from "./options.ts";
import { callScheduled, canaries, registerCluster, startAgent, startCron, startEdge } from "./parts.ts";
import { HOST, Refusal, type StackEvent } from "./plan.ts";
import { unusablePorts, wantedPorts } from "./ports.ts";
import {
  type Breakage,
  type Gateway,
  type GatewayIdentities,
  makeGatewayIdentities,
  startGateway,
} from "./sample-gateways.ts";
import { loadSecrets, prepareStateFolder, type Secrets, type StateFolder, saveSecrets } from "./state-folder.ts";

/** The names in the certificates of the sample gateways. */
const SAMPLE_NAMES = ["example.test", "*.example.test"];
const SAMPLE_ADDRESSES = ["127.0.0.11", "127.0.0.12", "127.0.0.13"];

/** Edge, agent and sample gateways on one machine, with the means to break and watch them. */
export class Stack {
  readonly plan: StackPlan;
  readonly folders: StateFolder;
  readonly edgeUrl: string;
  readonly gateways: Gateway[] = [];
  readonly edge: Part;
  readonly agent: Part;
  readonly records: WatchedRecords;
  readonly #answers = new Map<string, Answer>();
  readonly #closers = new AsyncDisposableStack();
  readonly #groups = new Set<number>();
  readonly #onEvent: (event: StackEvent) => void;
  readonly #secrets: Secrets;
  /** For the sample gateways, if any; made at each start. */
  #identities: GatewayIdentities | undefined;
  readonly #sampleAddresses: readonly string[];

  private constructor(plan: StackPlan, onEvent: (event: StackEvent) => void) {
    this.plan = plan;
    this.#onEvent = onEvent;
    this.folders = prepareStateFolder(plan);
    this.#closers.defer(() => this.folders.release());
    this.records = new WatchedRecords(this.folders.records);
    this.#sampleAddresses = plan.records === undefined ? SAMPLE_ADDRESSES : [];
    this.#secrets = loadSecrets(this.folders.state);
    this.edgeUrl = `http://${HOST}:${plan.ports.edge}`;
    this.edge = makePart(
      () => this.#launchEdge(),
      () => this.#reportEnd("edge"),
    );
    this.agent = makePart(
      () => this.#launchAgent(),
      () => this.#reportEnd("agent"),
    );
  }

  /**
   * Starts all parts in order; resolves when the agent serves. If a part fails or `signal` aborts, it stops what has been
   * started. Throws a Refusal for errors that the user can fix.
   */
  static async start(plan: StackPlan, onEvent: (event: StackEvent) => void, signal: AbortSignal): Promise<Stack> {
    const stack = new Stack(plan, onEvent);
    // A child that is just starting would delay the end by seconds.
    signal.addEventListener("abort", () => stack.#groups.forEach(endGroup));
    try {
      await stack.#bringUp(signal);
      return stack;
    } catch (error) {
      await stack.stop();
      throw error;
    }
  }

  async #bringUp(signal: AbortSignal): Promise<void> {
    const steps = [
      this.#checkPorts,
      this.#startGateways,
      this.#startEdge,
      this.#register,
      this.#startAgent,
      this.#watch,
    ];
    for (const step of steps) {
      signal.throwIfAborted();
      await step.call(this);
    }
    signal.throwIfAborted();
  }

  async changeGateway(gateway: Gateway, breakage: Breakage | undefined): Promise<void> {
    await gateway.change(breakage);
    this.#onEvent({ kind: "Gateway", gateway });
  }

  async stopEdge(): Promise<void> {
    if (!this.edge.running) return;
    await this.edge.stop();
    this.#onEvent({ kind: "Part", name: "edge", running: false, expected: true });
  }

  async startEdge(): Promise<void> {
    if (this.edge.running) return;
    await this.edge.start();
    this.#onEvent({ kind: "Part", name: "edge", running: true, expected: true });
  }

  /** The newest answer to each watched question, by `name type`. */
  answers(): Record<string, Answer> {
    return Object.fromEntries(this.#answers);
  }

  /** The status of a record at the edge; undefined if the edge does not answer or does not know it. */
  async readRecord(rootHost: string): Promise<RecordStatus | undefined> {
    return recordStatus.safeParse(await this.readEdge(`/v1/records/${encodeURIComponent(rootHost)}`)).data;
  }

  /** The answer to an administrator's GET at the edge, as JSON; undefined if the edge does not answer. */
  async readEdge(path: string): Promise<unknown> {
    try {
      const response = await fetch(`${this.edgeUrl}${path}`, {
        headers: { authorization: `Bearer ${this.#secrets.adminToken}` },
        signal: AbortSignal.timeout(2_000),
      });
      return await response.json();
    } catch {
      return undefined;
    }
  }

  async stop(): Promise<void> {
    await this.#closers.disposeAsync();
    for (const group of this.#groups) endGroup(group);
  }

  async #checkPorts(): Promise<void> {
    const found = await unusablePorts(wantedPorts(this.plan.ports, this.#sampleAddresses));
    if (found.length > 0) throw new Refusal(found.join("\n"));
  }

  async #startGateways(): Promise<void> {
    if (this.#sampleAddresses.length === 0) return;
    const identities = await makeGatewayIdentities(SAMPLE_NAMES, Date.now());
    this.#identities = identities;
    for (const [index, address] of this.#sampleAddresses.entries()) {
      const gateway = await startGateway({ number: index + 1, address, port: this.plan.ports.gateway, identities });
      this.gateways.push(gateway);
      this.#closers.defer(() => gateway.stop());
    }
  }

  async #startEdge(): Promise<void> {
    this.#closers.defer(() => this.edge.stop());
    await this.edge.start();
    const warnIfRunning = (message: string) => {
      if (this.edge.running) this.#warn(message);
    };
    this.#closers.defer(startCron(this.edgeUrl, warnIfRunning));
  }

  async #launchEdge(): Promise<Child> {
    const { ports, edgeStaleAfterMs, edgeSettings, extraRoots } = this.plan;
    const roots = [this.#identities?.authority, extraRoots].filter((pem) => pem !== undefined);
    const settings = {
      ADMIN_TOKEN: this.#secrets.adminToken,
      HEADER_KEY: this.#secrets.headerKey,
      ALLOW_PRIVATE_ADDRESSES: "true",
      PUBLIC_READS: "true",
      CANARIES: canaries(`${HOST}:${ports.control}`, networkInterfaces()),
      COLO_URL: "",
      ...(roots.length > 0 && { EXTRA_ROOTS: roots.join("\n") }),
      EDGE_STALE_AFTER: `${edgeStaleAfterMs}ms`,
      ...edgeSettings,
    };
    const edge = { port: ports.edge, state: join(this.folders.state, "edge"), settings };
    const child = await startEdge(edge, this.#hooks("edge"));
    // At once, and not in a minute: it re-arms alarms that were lost while the edge was stopped.
    await callScheduled(this.edgeUrl).catch((error: Error) => this.#warn(`cron: ${error.message}`));
    return child;
  }

  async #register(): Promise<void> {
    await this.records.refresh();
    const registration = {
      hosts: this.records.allowedHosts(),
      webhookUrl: `http://${HOST}:${this.plan.ports.agent}/v1/delivery`,
    };
    const known = this.#secrets.clusterSecret;
    const secret = await registerCluster(this.edgeUrl, this.#secrets.adminToken, registration, known);
    if (secret === known) return;
    this.#secrets.clusterSecret = secret;
    saveSecrets(this.folders.state, this.#secrets);
  }

  async #startAgent(): Promise<void> {
    this.#closers.defer(() => this.agent.stop());
    await this.agent.start();
  }

  #launchAgent(): Promise<Child> {
    const { ports, edgeStaleAfterMs } = this.plan;
    const { state, records } = this.folders;
    const secret = this.#secrets.clusterSecret ?? "";
    return startAgent(
      { ports, edgeStaleAfterMs, edgeUrl: this.edgeUrl, secret, records, state: join(state, "agent.json") },
      this.#hooks("agent"),
    );
  }

  async #watch(): Promise<void> {
    const server = { host: HOST, port: this.plan.ports.dns };
    const ask = askWatched(server, (rootHost) => this.readRecord(rootHost));
    const stop = watchDns(ask, this.records, (change) => {
      this.#answers.set(`${change.question.name} ${change.question.type}`, change.after);
      this.#onEvent({ kind: "Dns", change });
    });
    this.#closers.defer(stop);
    this.#closers.defer(await serveControl(this, HOST, this.plan.ports.control));
  }

  readonly #warn = (message: string): void => this.#onEvent({ kind: "Warning", message });

  #reportEnd(name: "edge" | "agent"): void {
    this.#onEvent({ kind: "Part", name, running: false, expected: false });
  }

  #hooks(name: "edge" | "agent"): ChildHooks {
    return {
      logFile: join(this.folders.state, `${name}.log`),
      onGroup: (group) => {
        this.#groups.add(group);
        this.folders.addGroup(group);
      },
      onWarning: this.#warn,
    };
  }
}
