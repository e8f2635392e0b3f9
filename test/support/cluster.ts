import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { inject, vi } from "vitest";
import type { Endpoint } from "../../shared/model/endpoint.ts";
import type { Decisions, SharesInput } from "../../shared/model/messages/shares.ts";
import type { SnapshotHeader, SnapshotRecordInput } from "../../shared/model/messages/snapshot.ts";
import type { MessageNumber } from "../../shared/model/number.ts";
import type { RecordStatus } from "../../shared/model/status.ts";
import { isNewer, NO_NUMBER } from "../../shared/number.ts";
import { type SignedRequest, signatureHeaders } from "../../shared/signature.ts";
import { encodeSnapshot } from "../../shared/snapshot.ts";
import { Cluster } from "../../workers/cluster/cluster.ts";
import type { Env } from "../../workers/env.ts";
import type { ClusterContact, ClusterEvent, ContactReceipt, CoordinatorRpc, SharesReceipt } from "../../workers/rpc.ts";
import type { Received, ReceiverMode } from "../receivers/receiver.ts";

const bindings = env as unknown as Env;

/** A coordinator as the cluster knows it: it keeps shares, hands out decisions on demand, and can be unreachable. */
export class FakeCoordinator implements Partial<CoordinatorRpc> {
  mode: "up" | "down" | "hangs" = "up";
  clusters = new Set<string>();
  held: SharesInput | undefined;
  puts = 0;
  contacts: ClusterContact[] = [];
  events: ClusterEvent[] = [];
  decisions: Decisions | undefined;
  conditions: SharesReceipt["records"] = [];
  partitionsAtInstall: number;

  constructor(partitions: number) {
    this.partitionsAtInstall = partitions;
  }

  async partitions(): Promise<number> {
    await this.#reach();
    return this.partitionsAtInstall;
  }

  async registerCluster(cluster: string): Promise<void> {
    await this.#reach();
    this.clusters.add(cluster);
  }

  async removeCluster(cluster: string, _epoch: number): Promise<void> {
    await this.#reach();
    this.clusters.delete(cluster);
    this.held = undefined;
  }

  async putShares(shares: SharesInput): Promise<SharesReceipt> {
    await this.#reach();
    this.puts += 1;
    if (isNewer(shares.number, this.held?.number ?? NO_NUMBER)) this.held = structuredClone(shares);
    return { number: this.held?.number ?? NO_NUMBER, records: this.conditions, ...this.#newer(NO_NUMBER) };
  }

  async contact(contact: ClusterContact): Promise<ContactReceipt> {
    await this.#reach();
    this.contacts.push(contact);
    const sharesWanted = isNewer(contact.sharesNumber, this.held?.number ?? NO_NUMBER);
    return { sharesWanted, ...this.#newer(contact.decisionsNumber) };
  }

  async viewRecords(_cluster: string): Promise<RecordStatus[]> {
    await this.#reach();
    return this.decisions?.records ?? [];
  }

  async noteEvent(event: ClusterEvent): Promise<void> {
    await this.#reach();
    this.events.push(event);
  }

  #newer(than: MessageNumber): { decisions?: Decisions } {
    return this.decisions && isNewer(this.decisions.number, than) ? { decisions: this.decisions } : {};
  }

  async #reach(): Promise<void> {
    if (this.mode === "down") throw new Error("Network connection lost.");
    if (this.mode === "hangs") await new Promise(() => {});
  }
}

export interface World {
  cluster: Cluster;
  state: DurableObjectState;
  coordinators: FakeCoordinator[];
  secret: string;
  /** Of the last snapshot taken. */
  etag: string | undefined;
  /** The cluster's memory is gone; the storage stays. */
  restart: (settings?: Record<string, string>) => void;
  /** Signs and pushes, as an agent does: with the tag of the last answer by default (null: without a tag). */
  push: (records: SnapshotRecordInput[], options?: PushOptions) => ReturnType<Cluster["putSnapshot"]>;
  decide: (n: number, records: RecordStatus[], partition?: number) => ReturnType<Cluster["decided"]>;
  received: () => Promise<Received[]>;
  receiver: (change: { mode?: ReceiverMode; applied?: MessageNumber; takes?: string[] }) => Promise<void>;
}

export type PushOptions = Partial<Omit<SnapshotHeader, "records">> & {
  ifMatch?: string | null;
  id?: string;
  signedAtMs?: number;
  secret?: string;
};

let pushes = 0;

/** Stops the clock at now; {@link advance} moves it. Timers go on by the real one. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
}

export function advance(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

/** Runs a story with a registered cluster over the storage of a real object, with coordinators of the test's own. */
export async function withCluster(
  name: string,
  settings: Record<string, string>,
  story: (world: World) => Promise<void>,
): Promise<void> {
  const partitions = Number(settings.PARTITIONS ?? 1);
  const coordinators = Array.from({ length: partitions }, () => new FakeCoordinator(partitions));
  const COORDINATOR = { getByName: (partition: string) => coordinators[Number(partition)] };
  const build = (state: DurableObjectState, more: Record<string, string> = {}) =>
    new Cluster(state, { ...bindings, COORDINATOR, ...settings, ...more } as unknown as Env);
  const url = inject("receivers");
  await runInDurableObject(bindings.CLUSTER.getByName(name), async (_, state) => {
    const world: World = {
      cluster: build(state),
      state,
      coordinators,
      secret: "",
      etag: undefined,
      restart: (more) => {
        world.cluster = build(state, more);
      },
      push: async (records, options) => {
        const ifMatch = world.etag ?? null;
        const result = await world.cluster.putSnapshot(signedSnapshot(world.secret, records, { ifMatch, ...options }));
        if (result.ok) world.etag = result.receipt.etag;
        return result;
      },
      decide: (n, records, partition = 0) => {
        const decisions = { version: 1, cluster: name, partition, number: { epoch: 7, n }, records } as const;
        const coordinator = coordinators[partition];
        if (coordinator !== undefined) coordinator.decisions = decisions;
        return world.cluster.decided(decisions);
      },
      received: async () => (await readReceiver(url, name)).received,
      receiver: async (change) => {
        await fetch(`${url}/control/${name}`, { method: "PUT", body: JSON.stringify(change) });
      },
    };
    const webhookUrl = `${url}/hook/${name}`;
    const registered = await world.cluster.register({ cluster: name, hosts: ["*.example.com"], webhookUrl });
    if (!registered.ok) throw new Error(registered.problem.title);
    world.secret = registered.secret;
    await story(world);
  });
}

/** A snapshot with its signature. */
export function signedSnapshot(
  secret: string,
  records: SnapshotRecordInput[],
  options: PushOptions = {},
): SignedRequest & { ifMatch?: string } {
  const { ifMatch, id = `push_${++pushes}`, signedAtMs = Date.now(), secret: other, ...header } = options;
  const body = encodeSnapshot({ clusterUid: "uid-1", instance: "agent-1", ...header }, records);
  return { ...signed(other ?? secret, id, body, signedAtMs), ...(ifMatch && { ifMatch }) };
}

export function signed(secret: string, id: string, body: string, atMs = Date.now()): SignedRequest {
  const headers = signatureHeaders(secret, id, body, atMs);
  return {
    webhookId: headers["webhook-id"],
    webhookTimestamp: headers["webhook-timestamp"],
    webhookSignature: headers["webhook-signature"],
    body,
  };
}

async function readReceiver(url: string, name: string): Promise<{ received: Received[] }> {
  return (await fetch(`${url}/control/${name}`)).json();
}

/** Waits for a condition, without an opinion on how long it takes. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** A record of a snapshot under example.com, with one address. */
export function recordOf(name: string, change: Partial<SnapshotRecordInput> = {}): SnapshotRecordInput {
  const rootHost = `${name}.example.com`;
  const endpoint = { dnsName: rootHost, recordType: "A" as const, targets: ["203.0.113.10"] };
  return { namespace: "shop", name, spec: { rootHost, endpoints: [endpoint] }, ...change };
}

/** A decision that publishes the targets for a host. */
export function statusOf(rootHost: string, targets: string[]): RecordStatus {
  const endpoint: Endpoint = { dnsName: rootHost, recordType: "A", recordTTL: 60, targets };
  return {
    rootHost,
    shares: [],
    whenSilent: "Publish",
    endpoints: [endpoint],
    leaves: [],
    probes: [],
    advisories: [],
    decidedAt: 0,
  };
}
