import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { type DnsRecorder, dig } from "./dns.ts";
import { PATIENCE_MS, recordYaml } from "./records.ts";
import { logOf, startWorld, type World } from "./stack.ts";
import { until } from "./until.ts";

const HOST = "api.example.test";
export const ADDRESSES = ["127.0.0.14", "127.0.0.15", "127.0.0.16"];
export const ALL = ADDRESSES.join(" ");
export const WITHOUT_FIRST = ADDRESSES.slice(1).join(" ");
export const STALE_AFTER_MS = 10_000;
/** The edge makes three contacts within this time, so that its own restart fits into the agent's timeout. */
const EDGE_STALE_AFTER = "6s";

/** A stack of which parts are stopped, killed and started. The tests of a file share one. */
export class InterruptedStack {
  dns!: DnsRecorder;
  #world!: World;

  /** Starts a stack for the tests of this file. Each begins with all parts running, and the first gateway broken and out of DNS. */
  static forThisFile(): InterruptedStack {
    const stack = new InterruptedStack();
    beforeAll(() => stack.#start());
    beforeEach(async ({ onTestFailed }) => {
      onTestFailed(() => stack.#world.explain(HOST));
      await stack.#prepare();
    });
    afterAll(() => stack.#stop());
    return stack;
  }

  async #start(): Promise<void> {
    this.#world = await startWorld({
      addresses: ADDRESSES,
      records: (port) => ({ "api.yaml": recordYaml(HOST, port, { targets: ADDRESSES }) }),
      edgeStaleAfterMs: STALE_AFTER_MS,
      edgeSettings: { EDGE_STALE_AFTER },
    });
    this.dns = this.#world.record(HOST);
  }

  async #prepare(): Promise<void> {
    await this.#world.stack.startEdge();
    await this.#world.stack.agent.start();
    await this.mend();
    await this.#world.gateways[0]!.change("status");
    await this.answered(WITHOUT_FIRST);
  }

  async #stop(): Promise<void> {
    const logs = ["edge", "agent"].map((name) => logOf(this.#world.stack, name)).join("\n");
    await this.#world.stop();
    expect(logs.split("\n").filter((line) => /\b(uncaught|unhandled|\w*Error)\b/i.test(line))).toEqual([]);
  }

  get stack() {
    return this.#world.stack;
  }

  get gateways() {
    return this.#world.gateways;
  }

  async answered(text: string, limitMs = PATIENCE_MS): Promise<void> {
    await until(
      `the answer ${text}`,
      () => this.dns.last === text,
      limitMs,
      () => this.dns.seen,
    );
  }

  async mend(): Promise<void> {
    await this.#world.gateways[0]!.change(undefined);
    await this.answered(ALL);
  }

  /** Waits for longer than the agent does without contact to the edge. An agent without contact by then would have published all. */
  async outlastSilence(): Promise<void> {
    const end = Date.now() + STALE_AFTER_MS + 1_000;
    await until("edgeStaleAfter to pass", () => Date.now() > end);
  }

  readCluster() {
    return this.#world.readCluster();
  }

  readRecord() {
    return this.#world.stack.readRecord(HOST);
  }

  dig() {
    return dig(this.#world.dns, HOST);
  }
}
