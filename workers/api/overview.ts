import { type ClusterHealth, type Overview, overview, type RecordSummary } from "../../shared/model/overview.ts";
import { hideAddresses } from "../../shared/record/summary.ts";
import type { Env } from "../env.ts";
import { askHealth, unknownHealth } from "./cluster-health.ts";
import { joinRegions } from "./join-regions.ts";
import { askAllCoordinators } from "./object-calls.ts";
import type { ApiContext, Route } from "./route.ts";

export const overviewRoutes: Route[] = [
  {
    method: "GET",
    path: "/v1/overview",
    access: "public",
    summary:
      "A summary of all records, regions and clusters: what is out of DNS, why, since when, and which regions see it",
    answer: { status: 200, description: "By root host, region and name.", schema: overview },
    problems: ["CoordinatorUnavailable"],
    handle: readOverview,
  },
];

/** Public responses are cached, since anyone may send any number of requests and each would call every coordinator. */
const PUBLIC_CACHE_MS = 1_000;
/** The last public response of this isolate, by its bindings. */
const publicCache = new WeakMap<Env, { at: number; body: string }>();

async function readOverview(context: ApiContext): Promise<Response> {
  if (context.get("role") !== "public") return context.json(await makeOverview(context));
  let answer = publicCache.get(context.env);
  if (answer === undefined || Math.abs(Date.now() - answer.at) >= PUBLIC_CACHE_MS) {
    answer = { body: JSON.stringify(await makeOverview(context)), at: Date.now() };
    publicCache.set(context.env, answer);
  }
  return context.body(answer.body, 200, { "content-type": "application/json" });
}

async function makeOverview(context: ApiContext): Promise<Overview> {
  const role = context.get("role");
  const { PARTITIONS, PUBLIC_VIEW } = context.get("settings");
  const addressesHidden = role === "public" && PUBLIC_VIEW !== "overview";
  const parts = await askAllCoordinators(context, (coordinator) => coordinator.overview());
  const names = role === "public" ? [] : [...new Set(parts.flatMap(({ clusters }) => clusters))].sort();
  const records = parts.flatMap((part) => part.records).sort((a, b) => (a.rootHost < b.rootHost ? -1 : 1));
  return {
    at: Math.min(...parts.map(({ at }) => at)),
    partitions: PARTITIONS,
    role,
    addressesHidden,
    records: role === "public" ? records.map((record) => forPublic(record, addressesHidden)) : records,
    regions: joinRegions(parts.flatMap(({ regions }) => regions)),
    clusters: await healthOf(context.env, names),
  };
}

/** Hides cluster names from the public. */
function forPublic(record: RecordSummary, isHidden: boolean): RecordSummary {
  const nameless = { ...record, clusters: [] };
  return isHidden ? hideAddresses(nameless) : nameless;
}

/** Removed clusters are left out. */
async function healthOf(env: Env, names: readonly string[]): Promise<ClusterHealth[]> {
  const healths = await Promise.all(
    names.map(async (name) => {
      const health = await askHealth(env, name);
      if (health === "removed") return undefined;
      return health === "silent" ? unknownHealth(name) : health;
    }),
  );
  return healths.filter((health) => health !== undefined);
}
