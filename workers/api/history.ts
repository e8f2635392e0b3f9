import {
  type HistorySpan,
  historySpan,
  MAX_POINTS,
  MAX_SERIES,
  type ProbeHistory,
  type RecordHistory,
  recordHistory,
  SPANS,
} from "../../shared/model/history.ts";
import { type Env, proberName, proberOf } from "../env.ts";
import { callWithRetry, errorMessage } from "../retry.ts";
import type { HistoryQuestion, RecordProber } from "../rpc.ts";
import { withTimeout } from "../timeout.ts";
import { askForRecord } from "./object-calls.ts";
import { refuseUnknownQuery } from "./request.ts";
import { fail } from "./responses.ts";
import type { ApiContext, Route } from "./route.ts";

/** A person waits for the page. A slower region is listed as missing. */
const PROBER_LIMIT_MS = 3_000;
const QUERY = { span: "`6h` (the default), `7d` or `90d`." };

export const historyRoutes: Route[] = [
  {
    method: "GET",
    path: "/v1/records/:host/history",
    access: "reader",
    summary: "Availability and latencies of a record's probes over time, from each region",
    query: QUERY,
    answer: { status: 200, description: "By probe and region.", schema: recordHistory },
    problems: ["FieldInvalid", "RecordUnknown", "CoordinatorUnavailable"],
    handle: readHistory,
  },
];

async function readHistory(context: ApiContext): Promise<Response> {
  refuseUnknownQuery(context, Object.keys(QUERY));
  const span = spanOf(context.req.query("span"));
  const found = await askForRecord(context, async (coordinator, rootHost) => {
    const probers = await coordinator.probersOf(rootHost);
    return probers && { rootHost, probers };
  });
  const { probers, leftOut } = bounded(found.probers);
  const { spanMs } = SPANS[span];
  const stepMs = stepFor(span, probers);
  const to = Date.now();
  const parts = await Promise.all(probers.map((prober) => ask(context.env, prober, { span, stepMs })));
  const series = parts.flatMap((part) => part ?? []).sort(byProbeAndRegion);
  const missing = probers.filter((_, n) => parts[n] === undefined).map(({ shard }) => shard.region);
  const answer: RecordHistory = {
    rootHost: found.rootHost,
    span,
    stepMs,
    from: Math.floor((to - spanMs) / stepMs) * stepMs,
    to,
    series,
    availability: availabilityOf(series),
    missing: [...new Set(missing)].sort(),
    ...(leftOut > 0 && { leftOut }),
  };
  return context.json(answer);
}

function spanOf(text = "6h"): HistorySpan {
  const span = historySpan.safeParse(text);
  if (span.success) return span.data;
  const rule = `must be one of ${historySpan.options.join(", ")}`;
  return fail("FieldInvalid", undefined, [{ field: "span", value: text, rule }]);
}

/**
 * Limits the probes to MAX_SERIES series, in the order of their ids. A probe is kept with all its regions or left out.
 */
function bounded(probers: readonly RecordProber[]): { probers: RecordProber[]; leftOut: number } {
  const regionsOf = Map.groupBy(
    probers.flatMap(({ probes }) => probes),
    ({ id }) => id,
  );
  const kept = new Set<string>();
  let series = 0;
  for (const [id, { length }] of [...regionsOf].sort(([a], [b]) => (a < b ? -1 : 1))) {
    series += length;
    if (series <= MAX_SERIES) kept.add(id);
  }
  const few = probers.map(({ shard, probes }) => ({ shard, probes: probes.filter(({ id }) => kept.has(id)) }));
  return { probers: few.filter(({ probes }) => probes.length > 0), leftOut: regionsOf.size - kept.size };
}

function stepFor(span: HistorySpan, probers: readonly RecordProber[]): number {
  const { spanMs, stepMs } = SPANS[span];
  const series = probers.reduce((sum, { probes }) => sum + probes.length, 0);
  let times = 1;
  while ((series * spanMs) / (stepMs * times) > MAX_POINTS) times *= 2;
  return stepMs * times;
}

/** Undefined if the prober does not answer. */
async function ask(
  env: Env,
  { shard, probes }: RecordProber,
  how: Omit<HistoryQuestion, "probes">,
): Promise<ProbeHistory[] | undefined> {
  const { region } = shard;
  const leaves = new Map(probes.map(({ id, leaf }) => [id, leaf]));
  try {
    const question = { ...how, probes: [...leaves.keys()] };
    const call = () => proberOf(env, proberName(shard), region).history(question);
    const answer = await withTimeout(callWithRetry(call), PROBER_LIMIT_MS);
    return answer.map(({ probe, points }) => ({ probe, leaf: leaves.get(probe) ?? "", region, points }));
  } catch (error) {
    console.warn({ message: "a prober does not answer a history request", ...shard, error: errorMessage(error) });
    return undefined;
  }
}

function byProbeAndRegion(a: ProbeHistory, b: ProbeHistory): number {
  if (a.probe !== b.probe) return a.probe < b.probe ? -1 : 1;
  return a.region < b.region ? -1 : 1;
}

function availabilityOf(series: readonly ProbeHistory[]): number | null {
  const points = series.flatMap((one) => one.points);
  const ok = points.reduce((sum, point) => sum + point.ok, 0);
  const checked = points.reduce((sum, point) => sum + point.failed, ok);
  return checked === 0 ? null : ok / checked;
}
