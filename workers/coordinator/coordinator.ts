import type { Event } from "../../shared/model/event.ts";
import type { Assignment } from "../../shared/model/messages/assignment.ts";
import type { Report } from "../../shared/model/messages/report.ts";
import type { SharesInput } from "../../shared/model/messages/shares.ts";
import type { RecordDetail } from "../../shared/model/record-detail.ts";
import type { RegionView } from "../../shared/model/region-view.ts";
import type { ProbeStatus, RecordStatus } from "../../shared/model/status.ts";
import type { Usage } from "../../shared/model/usage.ts";
import { clusterOf, type Env, notifierOf, proberName, proberOf } from "../env.ts";
import { problemOf } from "../problems.ts";
import { callWithRetry, errorMessage } from "../retry.ts";
import type {
  ClusterContact,
  ClusterEvent,
  ContactReceipt,
  CoordinatorRpc,
  PartitionOverview,
  PartitionUsage,
  RecordProber,
  SharesReceipt,
} from "../rpc.ts";
import { readSettings } from "../settings.ts";
import { withTimeout } from "../timeout.ts";
import type { Meter } from "../usage/meter.ts";
import { MeteredObject } from "../usage/metered-object.ts";
import { Coordination } from "./coordination.ts";
import type { Outside } from "./dependencies.ts";
import { close, Sockets } from "./live/sockets.ts";
import { LiveStream, logUntold } from "./live/stream.ts";
import type { Rules } from "./state.ts";

/** How long changes are collected before they are sent: several calls that come together are answered by one. */
const TICK_MS = 20;
/** The same for those who watch: a person sees no difference, and a storm of reports makes ten messages a second at most. */
const LIVE_TICK_MS = 100;
/** Changes that are not taken by then are made up for by decisions that are whole. */
const IN_PART_WAIT_MS = 5_000;
/** A prober notes what it is to look at, and answers; nobody waits for one that does not. */
const LOOK_WAIT_MS = 2_000;

/** One partition's coordinator: takes calls, and leaves them to {@link Coordination}. Its name is the partition. */
export class Coordinator extends MeteredObject implements CoordinatorRpc {
  /** What a test puts a double in the place of. */
  readonly outside: Outside;
  readonly #coordination: Coordination;
  readonly #live: LiveStream;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.outside = outsideOf(ctx, env, this.meter, (rootHosts) => this.#live.changed(rootHosts));
    this.#coordination = new Coordination(ctx.storage, this.outside, rulesOf(env), Number(ctx.id.name ?? 0));
    const later = (work: () => void) => ctx.waitUntil(scheduler.wait(LIVE_TICK_MS).then(work).catch(logUntold));
    this.#live = new LiveStream(new Sockets(ctx), this.#coordination, later);
  }

  /** Opens a stream: see {@link LiveStream}. Only the Worker calls this, and has seen to who may. */
  override async fetch(request: Request): Promise<Response> {
    const after = new URL(request.url).searchParams.get("after");
    const client = this.#live.open(after === null ? undefined : Number(after));
    if (client !== undefined) return new Response(null, { status: 101, webSocket: client });
    const problem = problemOf("StreamFull", "Ask for /v1/overview instead, or try again later.");
    return Response.json(problem, {
      status: problem.status,
      headers: { "content-type": "application/problem+json" },
    });
  }

  /** Pings are answered by the platform; whoever sends anything else is no client of ours. */
  override webSocketMessage(socket: WebSocket): void {
    close(socket, 1008, "this stream takes no message but ping");
  }

  override webSocketClose(socket: WebSocket, code: number): void {
    close(socket, code === 1005 ? 1000 : code, "");
  }

  override webSocketError(socket: WebSocket): void {
    close(socket, 1011, "the connection is broken");
  }

  async registerCluster(cluster: string): Promise<void> {
    this.#coordination.registerCluster(cluster);
  }

  async removeCluster(cluster: string, epoch: number): Promise<void> {
    this.#coordination.removeCluster(cluster, epoch);
  }

  async listClusters(): Promise<string[]> {
    return this.#coordination.listClusters();
  }

  async partitions(): Promise<number> {
    return this.#coordination.partitions();
  }

  async putShares(shares: SharesInput): Promise<SharesReceipt> {
    return this.#coordination.putShares(shares);
  }

  async contact(contact: ClusterContact): Promise<ContactReceipt> {
    return this.#coordination.contact(contact);
  }

  async report(report: Report): Promise<{ assignment?: Assignment }> {
    const assignment = this.#coordination.report(report);
    return assignment === undefined ? {} : { assignment };
  }

  async heartbeat(clusters?: Usage): Promise<void> {
    this.#coordination.heartbeat(clusters);
  }

  async listRecords(): Promise<RecordStatus[]> {
    return this.#coordination.listRecords();
  }

  async viewRecords(cluster: string): Promise<RecordStatus[]> {
    return this.#coordination.viewRecords(cluster);
  }

  async readRecord(rootHost: string): Promise<RecordDetail | undefined> {
    return this.#coordination.readRecord(rootHost);
  }

  async overview(): Promise<PartitionOverview> {
    return this.#coordination.overview();
  }

  async probersOf(rootHost: string): Promise<RecordProber[] | undefined> {
    return this.#coordination.probersOf(rootHost);
  }

  async readProbe(id: string): Promise<ProbeStatus | undefined> {
    return this.#coordination.readProbe(id);
  }

  async listRegions(): Promise<RegionView[]> {
    return this.#coordination.listRegions();
  }

  async usage(): Promise<PartitionUsage | undefined> {
    return this.#coordination.usage();
  }

  async listEvents(after: number): Promise<Event[]> {
    return this.#coordination.listEvents(after);
  }

  async listNewestEvents(last: number, before?: number): Promise<Event[]> {
    return this.#coordination.listNewestEvents(last, before);
  }

  async noteEvent(event: ClusterEvent): Promise<void> {
    this.#coordination.noteEvent(event);
  }
}

function rulesOf(env: Env): Rules {
  const settings = readSettings(env);
  return {
    allowPrivate: settings.ALLOW_PRIVATE_ADDRESSES,
    edgeStaleAfterMs: settings.EDGE_STALE_AFTER,
    partitions: settings.PARTITIONS,
    allowedPorts: settings.ALLOWED_PORTS,
    maxRequestsPerAddress: settings.MAX_REQUESTS_PER_ADDRESS,
    isFreePlan: settings.PLAN === "free",
  };
}

function outsideOf(ctx: DurableObjectState, env: Env, meter: Meter, changed: Outside["changed"]): Outside {
  return {
    now: () => Date.now(),
    used: () => meter.take(),
    assign: (assignment) => {
      const { shard } = assignment;
      return callWithRetry(() => proberOf(env, proberName(shard), shard.region).assign(assignment));
    },
    lookNow: (shard, probes) =>
      withTimeout(proberOf(env, proberName(shard), shard.region).lookNow(probes), LOOK_WAIT_MS),
    decided: (decisions) => callWithRetry(() => clusterOf(env, decisions.cluster).decided(decisions)),
    decidedInPart: (changes) => withTimeout(clusterOf(env, changes.cluster).decidedInPart(changes), IN_PART_WAIT_MS),
    changed,
    ...(readSettings(env).NOTIFICATIONS.length > 0 && {
      troubles: (troubles) => callWithRetry(() => notifierOf(env).troubles(troubles)),
    }),
    rest: (restMs) => scheduler.wait(restMs),
    soon: (work) => ctx.waitUntil(scheduler.wait(TICK_MS).then(work).catch(logFailure)),
  };
}

/** What was to be sent is sent by the heartbeat. */
function logFailure(error: unknown): void {
  console.error({ message: "changes could not be sent", error: errorMessage(error) });
}
