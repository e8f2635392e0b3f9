import {
  type ExportEnd,
  type ExportedCluster,
  type ExportedRecord,
  type ExportHead,
  exportHead,
} from "../../shared/model/export.ts";
import type { RecordStatus } from "../../shared/model/status.ts";
import { clusterOf } from "../env.ts";
import { callWithRetry, errorMessage } from "../retry.ts";
import { askAllCoordinators, askCoordinator } from "./object-calls.ts";
import { fail } from "./responses.ts";
import type { ApiContext, Route } from "./route.ts";

export const exportRoutes: Route[] = [
  {
    method: "GET",
    path: "/v1/export",
    access: "admin",
    summary: "Everything that another edge needs to take over, as NDJSON",
    answer: {
      status: 200,
      description:
        "The head, a line for each cluster and each record, then the end. Secrets are sealed, so they cannot be read.",
      schema: exportHead,
    },
    problems: ["ClusterUnavailable", "CoordinatorUnavailable"],
    handle: exportAll,
  },
];

async function exportAll(context: ApiContext): Promise<Response> {
  const names = await askCoordinator(context, 0, (coordinator) => coordinator.listClusters());
  const exported = await Promise.all(names.sort().map((name) => exportedCluster(context, name)));
  const clusters = exported.filter((cluster) => cluster !== undefined);
  const statuses = (await askAllCoordinators(context, (coordinator) => coordinator.listRecords())).flat();
  const records = statuses.map(lineOf).sort((a, b) => (a.rootHost < b.rootHost ? -1 : 1));
  const head: ExportHead = { kind: "Export", version: 1, at: Date.now() };
  const end: ExportEnd = { kind: "End", clusters: clusters.length, records: records.length };
  const text = [head, ...clusters, ...records, end].map((line) => `${JSON.stringify(line)}\n`).join("");
  return context.body(text, 200, { "content-type": "application/x-ndjson" });
}

/** Fails the whole export if a cluster does not answer, since an incomplete export is unreliable. */
async function exportedCluster(context: ApiContext, name: string): Promise<ExportedCluster | undefined> {
  try {
    return await callWithRetry(() => clusterOf(context.env, name).export());
  } catch (error) {
    console.error(`The cluster ${name} does not answer: ${errorMessage(error)}`);
    return fail("ClusterUnavailable", `The object of ${name} does not answer. Nothing was exported. Try again.`);
  }
}

function lineOf({ rootHost, leaves }: RecordStatus): ExportedRecord {
  const those = (isPublished: boolean) =>
    leaves.flatMap(({ leaf, published }) => (published === isPublished ? [leaf] : [])).sort();
  return { kind: "Record", rootHost, published: those(true), withheld: those(false) };
}
