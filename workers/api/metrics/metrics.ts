import type { Route } from "../route.ts";
import { CONTENT_TYPE } from "./exposition.ts";
import { readMetrics } from "./read.ts";

export const metricsRoutes: Route[] = [
  {
    method: "GET",
    path: "/metrics",
    access: "reader",
    summary: "Records, probes, regions and clusters for Prometheus; docs/metrics.md names them all",
    answer: { status: 200, description: "Prometheus' text format, also where a partition does not answer." },
    problems: [],
    handle: async (context) => context.body(await readMetrics(context), 200, { "content-type": CONTENT_TYPE }),
  },
];
