import { Hono } from "hono";
import { problemOf } from "../problems.ts";
import { readSettings, type SettingFault } from "../settings.ts";
import { agentRoutes } from "./agent-routes.ts";
import { allow } from "./auth.ts";
import { checkRoutes } from "./checks.ts";
import { clusterRoutes } from "./clusters.ts";
import { eventRoutes } from "./events.ts";
import { exportRoutes } from "./export.ts";
import { historyRoutes } from "./history.ts";
import { importRoutes } from "./import.ts";
import { liveRoutes } from "./live.ts";
import { metricsRoutes } from "./metrics/metrics.ts";
import { openApiOf } from "./openapi.ts";
import { overviewRoutes } from "./overview.ts";
import { limitRate, unboundLimits } from "./rate-limit.ts";
import { readRoutes, usageRoutes } from "./reads.ts";
import { ProblemError, problemResponse, withHeaders } from "./responses.ts";
import type { Api, ApiContext, Route } from "./route.ts";
import { sessionRoutes } from "./session.ts";

const ownRoutes: Route[] = [
  {
    method: "GET",
    path: "/healthz",
    access: "open",
    summary: "Whether the Worker runs and its settings are valid",
    answer: {
      status: 200,
      description:
        "`ok`, then a line for each invalid setting that the edge ignores and each rate limit without a binding.",
    },
    problems: [],
    handle: (context) => context.text(["ok", ...healthLines(context), ""].join("\n")),
  },
  {
    method: "GET",
    path: "/openapi.json",
    access: "open",
    summary: "This document",
    answer: { status: 200, description: "OpenAPI 3.1." },
    problems: [],
    handle: (context) => context.json(openApiOf(ROUTES)),
  },
];

/** Every route of the edge. The server and the OpenAPI document are both made from this list. */
export const ROUTES: readonly Route[] = [
  ...clusterRoutes,
  ...exportRoutes,
  ...importRoutes,
  ...agentRoutes,
  ...overviewRoutes,
  ...readRoutes,
  ...usageRoutes,
  ...historyRoutes,
  ...eventRoutes,
  ...liveRoutes,
  ...checkRoutes,
  ...sessionRoutes,
  ...metricsRoutes,
  ...ownRoutes,
];

/** The edge API (docs/design/interfaces.md). Every error is a problem document. */
export function createApp(): Hono<Api> {
  const app = new Hono<Api>();
  app.use(async (context, next) => {
    context.set("settings", settingsOf(context));
    await next();
  });
  for (const { method, path, access, handle } of ROUTES) app.on(method, path, limitRate(access), allow(access), handle);
  for (const [path, routes] of Map.groupBy(ROUTES, (route) => route.path)) {
    const allowed = [...new Set(routes.map(({ method }) => method))].join(", ");
    app.all(path, () => problemResponse(problemOf("MethodNotAllowed", `Allowed: ${allowed}.`), { allow: allowed }));
  }
  app.notFound(() => problemResponse(problemOf("NotFound", "/openapi.json lists all routes.")));
  app.onError((error) => {
    if (error instanceof ProblemError) return problemResponse(error.problem);
    console.error("The edge has failed:", error);
    return problemResponse(problemOf("InternalError"));
  });
  return app;
}

/** Serves one request and adds the common response headers. */
export async function serve(app: Hono<Api>, request: Request, env: Api["Bindings"], ctx: ExecutionContext) {
  return withHeaders(await app.fetch(request, env, ctx));
}

function healthLines(context: ApiContext): string[] {
  const unbound = unboundLimits(context.env).map(
    (name) => `${name}: is not bound in wrangler.toml; nothing is limited by it`,
  );
  return [...context.get("settings").faults.map(faultLine), ...unbound];
}

const faultLine = ({ text }: SettingFault) => `${text}; the edge goes on without it`;

function settingsOf(context: ApiContext) {
  try {
    return readSettings(context.env);
  } catch (error) {
    const detail = error instanceof Error ? error.message : undefined;
    console.error(detail);
    throw new ProblemError(problemOf("SettingsWrong", detail));
  }
}
