import {
  type ExportedCluster,
  exportEnd,
  exportedCluster,
  exportHead,
  type ImportReceipt,
  importReceipt,
  MAX_IMPORT_BYTES,
} from "../../shared/model/export.ts";
import { fieldErrors } from "../../shared/model/field-error.ts";
import type { FieldError } from "../../shared/model/problem.ts";
import { clusterOf } from "../env.ts";
import { errorMessage } from "../retry.ts";
import { webhookFault } from "../webhook-url.ts";
import { readText } from "./request.ts";
import { fail } from "./responses.ts";
import type { ApiContext, Route } from "./route.ts";

export const importRoutes: Route[] = [
  {
    method: "POST",
    path: "/v1/import",
    access: "admin",
    summary: "Register the clusters of an export; clusters that are already registered stay as they are",
    body: {
      contentType: "application/x-ndjson",
      schema: exportHead,
      description: "The response of `GET /v1/export` of the other edge.",
    },
    answer: { status: 200, description: "The result of each line.", schema: importReceipt },
    problems: ["MalformedBody", "FieldInvalid", "BodyTooLarge"],
    handle: importAll,
  },
];

type Line = { line: number; json: unknown };
type Imported = { cluster: ImportReceipt["clusters"][number] } | { errors: ImportReceipt["errors"] };

/** Imports one line at a time. Imports are rare, so speed does not matter. */
async function importAll(context: ApiContext): Promise<Response> {
  const [head, ...lines] = linesOf(await readText(context, MAX_IMPORT_BYTES));
  const read = exportHead.safeParse(head?.json);
  if (head?.json === undefined)
    fail("MalformedBody", "Its first line is not JSON. Send the response of GET /v1/export.");
  if (!read.success) fail("FieldInvalid", undefined, fieldErrors(read.error, head?.json, "line 1"));
  const receipt: ImportReceipt = { clusters: [], errors: [] };
  for (const one of lines) {
    const imported = await importLine(context, one);
    if (imported === undefined) continue;
    if ("cluster" in imported) receipt.clusters.push(imported.cluster);
    else receipt.errors.push(...imported.errors);
  }
  receipt.errors.push(...cutOff(lines));
  return context.json(receipt);
}

function linesOf(text: string): Line[] {
  const lines = text.replace(/\n$/, "").split("\n");
  return lines.map((line, index) => ({ line: index + 1, json: parse(line) }));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function importLine(context: ApiContext, { line, json }: Line): Promise<Imported | undefined> {
  const wrong = (errors: FieldError[]) => ({ errors: errors.map((error) => ({ line, ...error })) });
  const kind = kindOf(json);
  if (kind === "Record" || kind === "End") return undefined;
  if (json === undefined) return wrong([{ field: "(whole)", rule: "must be JSON" }]);
  if (kind !== "Cluster") return wrong([{ field: "kind", rule: "must be one of Cluster, Record, End" }]);
  const read = exportedCluster.safeParse(json);
  if (!read.success) return wrong(fieldErrors(read.error, json));
  const cluster = { ...read.data, hosts: [...new Set(read.data.hosts)] };
  const { webhookUrl } = cluster;
  const rule = webhookUrl && webhookFault(webhookUrl, context.get("settings").ALLOW_PRIVATE_ADDRESSES);
  if (rule) return wrong([{ field: "webhookUrl", rule }]);
  const restored = await restore(context, cluster);
  if ("rule" in restored) return wrong([{ field: "cluster", value: cluster.cluster, ...restored }]);
  return { cluster: { line, cluster: cluster.cluster, ...restored } };
}

async function restore(context: ApiContext, cluster: ExportedCluster): Promise<{ secret?: string } | { rule: string }> {
  try {
    const result = await clusterOf(context.env, cluster.cluster).restore(cluster);
    if (!result.ok) return { rule: "is already registered here, and was left as it is" };
    return result.secret === undefined ? {} : { secret: result.secret };
  } catch (error) {
    console.error(`A cluster cannot be imported: ${errorMessage(error)}`);
    return { rule: "could not be registered, since its object does not answer. Import again" };
  }
}

const kindOf = (json: unknown): unknown =>
  typeof json === "object" && json !== null ? Reflect.get(json, "kind") : undefined;

/** Reports an export that lacks its end or some lines before it. */
function cutOff(lines: readonly Line[]): ImportReceipt["errors"] {
  const last = lines.at(-1);
  const line = (last?.line ?? 1) + 1;
  const end = exportEnd.safeParse(last?.json);
  if (!end.success) return [{ line, field: "(whole)", rule: "is missing: the export was cut off before its end" }];
  const { clusters, records } = end.data;
  if (clusters + records === lines.length - 1) return [];
  const rule = `must be the number of lines before it: there are ${lines.length - 1}`;
  return [{ line: line - 1, field: "clusters + records", value: `${clusters + records}`, rule }];
}
