import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningAgent, startAgent } from "../../../agent/agent.ts";
import type { Published } from "../../../agent/plan/explain.ts";
import { readSettings } from "../../../agent/runtime/settings.ts";
import type { Settings } from "../../../agent/runtime/settings-schema.ts";
import { FakeEdge, SECRET } from "./fake-edge.ts";

/** A manifest of a record `shop/<name>` at `<name>.test`. */
export function manifest(name: string, targets: readonly string[], spec = ""): string {
  return `apiVersion: vedette.dev/v1alpha1
kind: DNSRecord
metadata: { name: ${name}, namespace: shop }
spec:
  rootHost: ${name}.test
  endpoints: [{ dnsName: ${name}.test, recordType: A, targets: [${targets.join(", ")}] }]
${spec}`;
}

/** Settings of an agent of the cluster `here` in this folder, on ports that are free. */
export function settingsFor(folder: string, edgeUrl: string, flags: string[] = []): Settings {
  const given = [
    "--records",
    folder,
    "--edge-url",
    edgeUrl,
    "--cluster",
    "here",
    "--dns-port",
    "0",
    "--webhook-port",
    "0",
  ];
  const settings = readSettings([...given, ...flags], { VEDETTE_SECRET: SECRET });
  if (settings === "help") throw new Error("no help was asked for");
  return settings;
}

/** A folder of records, a fake edge, and agents between them; `close` ends everything. */
export class Bench {
  readonly folder: string;
  readonly edge: FakeEdge;
  readonly log: string[] = [];
  readonly published: Published[] = [];
  readonly #agents = new Set<RunningAgent>();

  private constructor(folder: string, edge: FakeEdge) {
    this.folder = folder;
    this.edge = edge;
  }

  static async open(): Promise<Bench> {
    return new Bench(await mkdtemp(join(tmpdir(), "vedette-agent-")), await FakeEdge.start());
  }

  put(file: string, text: string): Promise<void> {
    return writeFile(join(this.folder, file), text);
  }

  async agent(...flags: string[]): Promise<RunningAgent> {
    const agent = await startAgent(settingsFor(this.folder, this.edge.url, flags), {
      log: (_, message) => this.log.push(message),
      onPublished: (change) => this.published.push(change),
    });
    this.#agents.add(agent);
    return agent;
  }

  async stop(agent: RunningAgent): Promise<void> {
    this.#agents.delete(agent);
    await agent.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#agents].map((agent) => agent.close()));
    await this.edge.close();
    await rm(this.folder, { recursive: true });
  }
}
