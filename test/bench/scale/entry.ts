import { DurableObject } from "cloudflare:workers";
import type { Assignment } from "../../../shared/model/messages/assignment.ts";
import type { Report } from "../../../shared/model/messages/report.ts";
import type { DecisionChanges, Decisions } from "../../../shared/model/messages/shares.ts";
import type { MessageNumber } from "../../../shared/model/number.ts";
import { Cluster as RealCluster } from "../../../workers/cluster/cluster.ts";
import { CoordinatorObject } from "../../../workers/coordinator/durable-object.ts";
import { clusterOf, coordinatorOf, type Env } from "../../../workers/env.ts";
import edge from "../../../workers/index.ts";
import { countRows, type Rows } from "./count-rows.ts";

export { LoopbackDialer, Notifier } from "../../../workers/index.ts";

/** The real one, which also tells what it has had of its storage. */
export class Coordinator extends CoordinatorObject {
  readonly #rows: () => Rows;

  constructor(ctx: DurableObjectState, env: Env) {
    const rows = countRows(ctx.storage);
    super(ctx, env);
    this.#rows = rows;
  }

  async rows(): Promise<Rows> {
    return this.#rows();
  }
}

/** What a cluster was handed: messages with all records, messages with some, and the records of both. */
export interface Handed {
  whole: number;
  inPart: number;
  records: number;
}

export class Cluster extends RealCluster {
  readonly #rows: () => Rows;
  readonly #handed: Handed = { whole: 0, inPart: 0, records: 0 };

  constructor(ctx: DurableObjectState, env: Env) {
    const rows = countRows(ctx.storage);
    super(ctx, env);
    this.#rows = rows;
  }

  override decided(decisions: Decisions) {
    this.#handed.whole += 1;
    this.#handed.records += decisions.records.length;
    return super.decided(decisions);
  }

  override decidedInPart(changes: DecisionChanges) {
    this.#handed.inPart += 1;
    this.#handed.records += changes.records.length;
    return super.decidedInPart(changes);
  }

  async rows(): Promise<Rows> {
    return this.#rows();
  }

  async handed(): Promise<Handed> {
    return this.#handed;
  }
}

/** Forwards its calls to the driver outside, which runs the rounds. It keeps nothing here, and takes no memory. */
export class Prober extends DurableObject<Env> {
  async assign(assignment: Assignment): Promise<{ number: MessageNumber }> {
    await this.#tell("assign", assignment);
    return { number: assignment.number };
  }

  async lookNow(probes: readonly string[]): Promise<void> {
    await this.#tell(`look/${encodeURIComponent(this.ctx.id.name ?? "")}`, probes);
  }

  async #tell(what: string, body: unknown): Promise<void> {
    const response = await fetch(`${this.env.DRIVER}/${what}`, { method: "POST", body: JSON.stringify(body) });
    await response.body?.cancel();
  }
}

/** Takes reports and does nothing: what is left of their cost is that of the way there. */
export class Sink extends DurableObject<Env> {
  async report(_report: Report): Promise<object> {
    return {};
  }
}

type WithRows = { rows(): Promise<Rows> };

const ROUTES: Record<string, (env: Env, request: Request, name: string) => Promise<unknown>> = {
  report: async (env, request) => coordinatorOf(env, 0).report(await request.json()),
  sink: async (env, request) =>
    (env as unknown as { SINK: DurableObjectNamespace<Sink> }).SINK.getByName("sink").report(await request.json()),
  heartbeat: async (env) => (await coordinatorOf(env, 0).heartbeat()) ?? {},
  // What the flag --expose-gc of V8 brings: memory is measured without garbage.
  gc: async () => (globalThis as unknown as { gc(): void }).gc() ?? {},
  rows: async (env) => (coordinatorOf(env, 0) as unknown as WithRows).rows(),
  "cluster-rows": async (env, _, name) => (clusterOf(env, name) as unknown as WithRows).rows(),
  handed: async (env, _, name) => (clusterOf(env, name) as unknown as { handed(): Promise<Handed> }).handed(),
};

export default {
  async fetch(request, env, ctx) {
    const [, area, route = "", name = ""] = new URL(request.url).pathname.split("/");
    const handle = area === "bench" ? ROUTES[route] : undefined;
    return handle === undefined ? edge.fetch(request, env, ctx) : Response.json(await handle(env, request, name));
  },
} satisfies ExportedHandler<Env>;
