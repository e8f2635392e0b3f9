import type { Env } from "../../../../workers/env.ts";
import product, * as real from "../../../../workers/index.ts";
import { counts, worker } from "./account.ts";
import { counted } from "./counted-object.ts";
import { countGlobals } from "./globals.ts";

countGlobals();

export const Prober = counted(real.Prober, "Prober");
export const Coordinator = counted(real.Coordinator, "Coordinator");
export const Cluster = counted(real.Cluster, "Cluster");
export const Notifier = counted(real.Notifier, "Notifier");

export class LoopbackDialer extends real.LoopbackDialer {
  override ask(...given: Parameters<real.LoopbackDialer["ask"]>): ReturnType<real.LoopbackDialer["ask"]> {
    worker.loopbackDials += 1;
    return super.ask(...given);
  }
}

/** The product, and `GET /bench/counts`, which says what was used so far and is not counted itself. */
export default {
  fetch: (request, env, ctx) => {
    if (new URL(request.url).pathname === "/bench/counts") return Response.json(counts());
    worker.requests += 1;
    return product.fetch(request, env, ctx);
  },
  scheduled: (controller, env, ctx) => {
    worker.crons += 1;
    return product.scheduled(controller, env, ctx);
  },
} satisfies ExportedHandler<Env>;
