import { Hono } from "hono";

export interface OperationsOptions {
  /**
   * The parts that are not ready yet, as text; empty when all are. Read from flags: never waits for the work it reports
   * on.
   */
  notReady: () => readonly string[];
  scrape: () => Promise<{ contentType: string; text: string }>;
}

/**
 * The operations endpoints of the agent, on their own port. `/healthz` reports only that the process answers. It does
 * not depend on the API server or the edge, because a restart would not fix these and would stop what still works. A
 * stuck event loop does not answer. `/readyz` names what is not ready.
 */
export function makeOperations({ notReady, scrape }: OperationsOptions): Hono {
  const app = new Hono();
  app.get("/healthz", (context) => context.text("ok\n"));
  app.get("/readyz", (context) => {
    const missing = notReady();
    if (missing.length === 0) return context.text("ok\n");
    return context.text(missing.map((what) => `not ready: ${what}\n`).join(""), 503);
  });
  app.get("/metrics", async (context) => {
    const { contentType, text } = await scrape();
    return context.body(text, 200, { "content-type": contentType });
  });
  app.notFound((context) => context.text("There are GET /healthz, GET /readyz and GET /metrics.\n", 404));
  return app;
}
