import type { Env } from "../env.ts";
import { forwardMethods } from "../forward-methods.ts";
import { problemOf } from "../problems.ts";
import { readSettings } from "../settings.ts";
import { MeteredObject } from "../usage/metered-object.ts";
import { Coordinator } from "./coordinator.ts";
import { type Dependencies, productionDependencies } from "./dependencies.ts";
import { close, Sockets } from "./live/sockets.ts";
import { LiveStream, logStreamFailure } from "./live/stream.ts";
import type { CoordinatorSettings } from "./state.ts";

/** How long changes are collected for the live stream. Nobody sees the delay, and a storm of reports makes ten messages a second. */
const LIVE_TICK_MS = 100;

/** The Durable Object around a {@link Coordinator}, with the WebSockets of its live stream. Its name is the partition. */
export class CoordinatorObject extends MeteredObject {
  /** Tests replace its parts. */
  readonly dependencies: Dependencies;
  readonly #coordinator: Coordinator;
  readonly #live: LiveStream;

  static {
    forwardMethods(CoordinatorObject, Coordinator, (object) => object.#coordinator);
  }

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.dependencies = productionDependencies(ctx, env, this.meter, (rootHosts) => this.#live.changed(rootHosts));
    this.#coordinator = new Coordinator(
      ctx.storage,
      this.dependencies,
      coordinatorSettings(env),
      Number(ctx.id.name ?? 0),
    );
    const later = (work: () => void) => ctx.waitUntil(scheduler.wait(LIVE_TICK_MS).then(work).catch(logStreamFailure));
    this.#live = new LiveStream(new Sockets(ctx), this.#coordinator.liveSource, later);
  }

  /** Opens a live stream: see {@link LiveStream}. Only the Worker calls this; it has checked access. */
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

  /** The platform answers pings. A client that sends anything else is not the product's own. */
  override webSocketMessage(socket: WebSocket): void {
    close(socket, 1008, "this stream takes no message but ping");
  }

  override webSocketClose(socket: WebSocket, code: number): void {
    close(socket, code === 1005 ? 1000 : code, "");
  }

  override webSocketError(socket: WebSocket): void {
    close(socket, 1011, "the connection is broken");
  }
}

function coordinatorSettings(env: Env): CoordinatorSettings {
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
