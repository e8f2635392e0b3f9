import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { type RecordStatus, recordStatus } from "../shared/model/status.ts";
import { startAgent } from "./agent.ts";
import { askWatched } from "./ask.ts";
import { canaries } from "./canaries.ts";
import { type Child, type ChildHooks, endGroup } from "./child.ts";
import { serveControl } from "./control.ts";
import { callScheduled, startCron } from "./cron.ts";
import type { Answer } from "./dns-client.ts";
import { watchDns } from "./dns-watch.ts";
import { startEdge } from "./edge.ts";
import { type Folders, prepareFolders } from "./folders.ts";
import { type GatewayIdentities, makeGatewayIdentities } from "./gateway-identities.ts";
import { type Breakage, type Gateway, startGateway } from "./gateways.ts";
import { makePart, type Part } from "./part.ts";
import { HOST, Refusal, type StackEvent, type StackPlan } from "./plan.ts";
import { refusals, wantedPorts } from "./ports.ts";
import { registerCluster } from "./register.ts";
import { loadSecrets, type Secrets, saveSecrets } from "./secrets.ts";
import { allowedHosts, type Watched, watchedQuestions } from "./watched.ts";

/** What the certificates of the sample gateways are for. */
const SAMPLE_NAMES = ["example.test", "*.example.test"];

/** The whole way on one machine: edge, agent, sample gateways, and the means to break and watch them. */
export class Stack {
  readonly plan: StackPlan;
  readonly folders: Folders;
  readonly edgeUrl: string;
  readonly gateways: Gateway[] = [];
  readonly edge: Part;
  readonly agent: Part;
  /** What is asked of DNS again and again: the roots of all records. */
  readonly questions: () => readonly Watched[];
  readonly #answers = new Map<string, Answer>();
  readonly #closers = new AsyncDisposableStack();
  readonly #groups = new Set<number>();
  readonly #onEvent: (event: StackEvent) => void;
  readonly #secrets: Secrets;
  /** Of the sample gateways, where there are any; made at each start. */
  readonly #identities: GatewayIdentities | undefined;

  private constructor(plan: StackPlan, onEvent: (event: StackEvent) => void) {
    this.plan = plan;
    this.#onEvent = onEvent;
    this.folders = prepareFolders(plan);
    this.#closers.defer(() => this.folders.release());
    this.questions = watchedQuestions(this.folders.records);
    this.#secrets = loadSecrets(this.folders.state);
    if (plan.gatewayAddresses.length > 0) this.#identities = makeGatewayIdentities(SAMPLE_NAMES, Date.now());
    this.edgeUrl = `http://${HOST}:${plan.ports.edge}`;
    this.edge = makePart(
      () => this.#launchEdge(),
      () => this.#tellEnd("edge"),
    );
    this.agent = makePart(
      () => this.#launchAgent(),
      () => this.#tellEnd("agent"),
    );
  }

  /**
   * Starts all parts in order; resolves when the agent serves. When a part refuses or `signal` aborts, whatever was
   * started is ended again. Throws a Refusal for what the user can mend.
   */
  static async start(plan: StackPlan, onEvent: (event: StackEvent) => void, signal: AbortSignal): Promise<Stack> {
    const stack = new Stack(plan, onEvent);
    // A child that is just starting would hold up the end for seconds.
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
    this.#onEvent({ kind: "Part", name: "edge", running: false, asked: true });
  }

  async startEdge(): Promise<void> {
    if (this.edge.running) return;
    await this.edge.start();
    this.#onEvent({ kind: "Part", name: "edge", running: true, asked: true });
  }

  /** The newest answer to each watched question, by `name type`. */
  answers(): Record<string, Answer> {
    return Object.fromEntries(this.#answers);
  }

  /** What the edge says of a record; undefined when it does not answer or does not know it. */
  async readRecord(rootHost: string): Promise<RecordStatus | undefined> {
    return recordStatus.safeParse(await this.readEdge(`/v1/records/${encodeURIComponent(rootHost)}`)).data;
  }

  /** What the edge answers to an administrator's GET, as JSON; undefined when it does not answer. */
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
    const found = await refusals(wantedPorts(this.plan.ports, this.plan.gatewayAddresses));
    if (found.length > 0) throw new Refusal(found.join("\n"));
  }

  async #startGateways(): Promise<void> {
    for (const [index, address] of this.plan.gatewayAddresses.entries()) {
      const where = { number: index + 1, address, port: this.plan.ports.gateway };
      const gateway = await startGateway({ ...where, ...(this.#identities && { identities: this.#identities }) });
      this.gateways.push(gateway);
      this.#closers.defer(() => gateway.stop());
    }
  }

  async #startEdge(): Promise<void> {
    this.#closers.defer(() => this.edge.stop());
    await this.edge.start();
    const onTrouble = (message: string) => {
      if (this.edge.running) this.#tellTrouble(message);
    };
    this.#closers.defer(startCron(this.edgeUrl, onTrouble));
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
    const plan = {
      config: join(import.meta.dirname, "..", "wrangler.toml"),
      host: HOST,
      port: ports.edge,
      state: join(this.folders.state, "edge"),
      settings,
    };
    const child = await startEdge(plan, this.#hooks("edge"));
    // At once, and not in a minute: it re-arms what lost its alarm while the edge was away.
    await callScheduled(this.edgeUrl).catch((error: Error) => this.#tellTrouble(`cron: ${error.message}`));
    return child;
  }

  async #register(): Promise<void> {
    const registration = {
      hosts: allowedHosts(this.folders.records),
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
    const plan = {
      host: HOST,
      ports: this.plan.ports,
      edgeUrl: this.edgeUrl,
      secret: this.#secrets.clusterSecret ?? "",
      records: this.folders.records,
      state: join(this.folders.state, "agent.json"),
      edgeStaleAfterMs: this.plan.edgeStaleAfterMs,
    };
    return startAgent(plan, this.#hooks("agent"));
  }

  async #watch(): Promise<void> {
    const server = { host: HOST, port: this.plan.ports.dns };
    const ask = askWatched(server, (rootHost) => this.readRecord(rootHost));
    const stop = watchDns(ask, this.questions, (change) => {
      this.#answers.set(`${change.question.name} ${change.question.type}`, change.after);
      this.#onEvent({ kind: "Dns", change });
    });
    this.#closers.defer(stop);
    this.#closers.defer(await serveControl(this, HOST, this.plan.ports.control));
  }

  readonly #tellTrouble = (message: string): void => this.#onEvent({ kind: "Trouble", message });

  #tellEnd(name: "edge" | "agent"): void {
    this.#onEvent({ kind: "Part", name, running: false, asked: false });
  }

  #hooks(name: "edge" | "agent"): ChildHooks {
    return {
      logFile: join(this.folders.state, `${name}.log`),
      onGroup: (group) => {
        this.#groups.add(group);
        this.folders.noteGroup(group);
      },
      onTrouble: this.#tellTrouble,
    };
  }
}
