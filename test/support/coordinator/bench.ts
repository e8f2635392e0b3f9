import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Assignment } from "../../../shared/model/messages/assignment.ts";
import type { Report } from "../../../shared/model/messages/report.ts";
import type { DecisionChanges, Decisions, ShareInput, SharesInput } from "../../../shared/model/messages/shares.ts";
import type { RecordSpecInput } from "../../../shared/model/record.ts";
import type { Region } from "../../../shared/model/region.ts";
import { NO_USAGE, type Usage } from "../../../shared/model/usage.ts";
import { isNewer } from "../../../shared/number.ts";
import { Coordinator } from "../../../workers/coordinator/coordinator.ts";
import type { Dependencies } from "../../../workers/coordinator/dependencies.ts";
import type { CoordinatorSettings } from "../../../workers/coordinator/state.ts";
import type { Env } from "../../../workers/env.ts";
import type { DecisionsAnswer } from "../../../workers/rpc.ts";
import { FakeProbers } from "./fake-probers.ts";

export const SECOND = 1_000;
export const MINUTE = 60_000;
export const EDGE_STALE_AFTER = 300_000;
const RULES: CoordinatorSettings = {
  allowPrivate: true,
  edgeStaleAfterMs: EDGE_STALE_AFTER,
  partitions: 1,
  allowedPorts: [{ from: 1, to: 65_535 }],
  maxRequestsPerAddress: 100,
};
const T0 = Date.UTC(2026, 10, 30, 12);

type Answer = DecisionsAnswer | undefined | Promise<DecisionsAnswer | undefined>;

/** Where decisions end up. */
export interface Receiver {
  decided: (decisions: Decisions) => Answer;
  decidedInPart: (changes: DecisionChanges) => DecisionsAnswer | Promise<DecisionsAnswer>;
}

/**
 * A coordinator over a real object's storage. The test moves its clock and lets its probers report. Its clusters store the newest
 * decisions. What it wants done soon waits until the test says `settle`.
 */
export class Bench {
  readonly storage: DurableObjectStorage;
  readonly probers: FakeProbers;
  readonly delivered = new Map<string, Decisions>();
  readonly deliveries: Decisions[] = [];
  /** Records whose change was sent to the streams. */
  readonly changed = new Set<string>();
  now = T0;
  /** Called before each call to a dependency; may throw. */
  onCall: (kind: "assign" | "lookNow" | "decided") => void = () => {};
  onDecided: (cluster: string) => void = () => {};
  /** The notifier, from the next start on; by default there is no notifier. */
  onTroubles: Dependencies["troubles"];
  /** What the coordinator's object has used. */
  onUsed: () => Usage = () => NO_USAGE;
  /** Between two lists of alerts. */
  onRest: () => Promise<void> = async () => {};
  /** How a message gets to its receiver, and the answer back: a wire that loses, doubles or keeps them goes in here. */
  carry: <Answer>(deliver: () => Answer) => Answer = (deliver) => deliver();
  /** Who is handed decisions: the bench's own clusters, unless a test has others. */
  receiver: Receiver = {
    decided: (decisions) => {
      this.deliveries.push(decisions);
      return this.take(decisions);
    },
    decidedInPart: (changes) => {
      const held = this.delivered.get(changes.cluster);
      if (held === undefined || isNewer(changes.since, held.number)) return "Lacking";
      const decisions = joined(held, changes);
      this.deliveries.push(decisions);
      return this.take(decisions);
    },
  };
  coordination: Coordinator;
  /** What regions were asked to look at at once. */
  readonly looks: { region: string; probes: readonly string[] }[] = [];
  #queue: (() => Promise<void>)[] = [];
  readonly #dependencies: Dependencies;
  readonly #settings: CoordinatorSettings;

  constructor(storage: DurableObjectStorage, settings: Partial<CoordinatorSettings> = {}) {
    this.storage = storage;
    this.#settings = { ...RULES, ...settings };
    this.probers = new FakeProbers(() => this.now);
    this.#dependencies = {
      now: () => this.now,
      assign: async (assignment: Assignment) => {
        this.onCall("assign");
        return this.carry(() => this.probers.assign(assignment));
      },
      lookNow: async ({ region }, probes) => {
        this.onCall("lookNow");
        this.looks.push({ region, probes });
      },
      decided: async (decisions: Decisions) => {
        this.onCall("decided");
        this.onDecided(decisions.cluster);
        return this.carry(() => this.receiver.decided(decisions));
      },
      decidedInPart: async (changes: DecisionChanges) => {
        this.onCall("decided");
        this.onDecided(changes.cluster);
        return this.carry(() => this.receiver.decidedInPart(changes));
      },
      rest: () => this.onRest(),
      used: () => this.onUsed(),
      soon: (work) => {
        this.#queue.push(work);
      },
      changed: (rootHosts) => {
        for (const rootHost of rootHosts) this.changed.add(rootHost);
      },
    };
    this.coordination = this.#start();
  }

  #start(): Coordinator {
    const dependencies =
      this.onTroubles === undefined ? this.#dependencies : { ...this.#dependencies, troubles: this.onTroubles };
    return new Coordinator(this.storage, dependencies, this.#settings, 0);
  }

  /** As a cluster takes decisions: the older are dropped. */
  take(decisions: Decisions | undefined): DecisionsAnswer {
    if (decisions === undefined) return "Held";
    const held = this.delivered.get(decisions.cluster);
    if (held !== undefined && !isNewer(decisions.number, held.number)) return "Held";
    this.delivered.set(decisions.cluster, structuredClone(decisions));
    return "Taken";
  }

  /** Memory is lost, storage stays; what was under way is lost too. */
  restart(): void {
    this.#queue = [];
    this.coordination = this.#start();
  }

  /** All that was ever stored is lost. */
  async loseStorage(): Promise<void> {
    await this.storage.deleteAll();
    this.restart();
  }

  async settle(): Promise<void> {
    while (this.#queue.length > 0) {
      const works = this.#queue;
      this.#queue = [];
      await Promise.all(works.map((work) => work()));
    }
  }

  put(cluster: string, n: number, shares: ShareInput[], epoch = T0): ReturnType<Coordinator["putShares"]> {
    const input: SharesInput = { version: 1, cluster, number: { epoch, n }, shares };
    const receipt = this.coordination.putShares(structuredClone(input));
    this.take(receipt.decisions);
    return receipt;
  }

  /** Every prober of the region runs a round and reports; the answer is taken. */
  round(...regions: Region[]): void {
    for (const report of this.probers.round(regions)) this.send(report);
  }

  /** Checks of some leaves between two rounds, in some regions. */
  confirm(regions: readonly Region[], ...leaves: string[]): void {
    for (const report of this.probers.round(regions, (leaf) => leaves.includes(leaf))) this.send(report);
  }

  send(report: Report): void {
    const { assignment } = this.coordination.report(structuredClone(report));
    if (assignment !== undefined) this.probers.assign(assignment);
  }

  /** Rounds in all regions until the time has passed, a heartbeat each minute, everything sent. */
  async run(durationMs: number, regions: readonly Region[], stepMs = 10 * SECOND): Promise<void> {
    const end = this.now + durationMs;
    while (this.now < end) {
      this.now += stepMs;
      this.round(...regions);
      if (Math.floor(this.now / MINUTE) !== Math.floor((this.now - stepMs) / MINUTE)) this.coordination.heartbeat();
      await this.settle();
    }
  }

  published(rootHost = "api.example.com"): string[] {
    const record = this.coordination.readRecord(rootHost);
    return (record?.leaves ?? []).filter(({ published }) => published).map(({ leaf }) => leaf);
  }

  verdict(id: string): string | undefined {
    return this.coordination.readProbe(id)?.verdict;
  }

  rowsWritten(): number {
    return rowsOf(this.storage.sql);
  }
}

/** The whole decisions that result from changes to the stored ones. */
function joined(held: Decisions, { since: _, removed, ...changes }: DecisionChanges): Decisions {
  const named = new Set([...removed, ...changes.records.map(({ rootHost }) => rootHost)]);
  const records = [...held.records.filter(({ rootHost }) => !named.has(rootHost)), ...changes.records];
  return { ...changes, records: records.sort((a, b) => (a.rootHost < b.rootHost ? -1 : 1)) };
}

/** All rows by a count of the changes that SQLite itself has made since the connection was opened. */
function rowsOf(sql: SqlStorage): number {
  return sql.exec<{ changes: number }>("SELECT total_changes() AS changes").one().changes;
}

let objects = 0;

/** Runs a test over the storage of an object of its own. */
export async function onBench(
  test: (bench: Bench, storage: DurableObjectStorage) => Promise<void> | void,
  settings: Partial<CoordinatorSettings> = {},
): Promise<void> {
  objects += 1;
  const stub = (env as unknown as Env).COORDINATOR.getByName(`bench-${objects}-${crypto.randomUUID()}`);
  await runInDurableObject(stub, async (_, state) => {
    await test(new Bench(state.storage, settings), state.storage);
  });
}

export const HEALTH_CHECK = {
  protocol: "HTTP",
  interval: "10s",
  timeout: "2s",
  failureThreshold: 2,
  successThreshold: 2,
  regions: ["weur", "enam", "apac"],
} as const;

export type HealthCheckInput = NonNullable<RecordSpecInput["healthCheck"]>;

/** A share of api.example.com with these addresses. */
export function share(
  targets: string[],
  options: { name?: string; published?: string[]; check?: Partial<HealthCheckInput> | null; spec?: object } & Partial<
    Omit<ShareInput, "published" | "spec" | "name">
  > = {},
): ShareInput {
  const { name = "api", published = [], check = {}, spec = {}, ...rest } = options;
  const endpointOf = (addresses: string[]) => ({
    dnsName: "api.example.com",
    recordType: "A" as const,
    recordTTL: 60,
    targets: addresses,
  });
  return {
    namespace: "shop",
    name,
    spec: {
      rootHost: "api.example.com",
      endpoints: [endpointOf(targets)],
      ...(check !== null && { healthCheck: { ...HEALTH_CHECK, ...check } }),
      ...spec,
    },
    published: published.length > 0 ? [endpointOf(published)] : [],
    ...rest,
  };
}

export const REGIONS_3: readonly Region[] = ["apac", "enam", "weur"];
