import { z } from "zod";
import { recordDetail } from "../../shared/model/record-detail.ts";
import { regionView } from "../../shared/model/region-view.ts";
import { probeStatus, recordStatus } from "../../shared/model/status.ts";
import { usageView } from "../../shared/model/usage-view.ts";
import { usageViewOf } from "../../shared/price/usage-view.ts";
import { joinRegions } from "./join-regions.ts";
import { askAllCoordinators, askForRecord } from "./object-calls.ts";
import { fail } from "./responses.ts";
import type { ApiContext, Route } from "./route.ts";
export const readRoutes: Route[] = [
  {
    method: "GET",
    path: "/v1/records",
    access: "reader",
    summary: "All records: what is published, why, and the results of each region",
    answer: { status: 200, description: "By root host.", schema: z.strictObject({ records: z.array(recordStatus) }) },
    problems: ["CoordinatorUnavailable"],
    handle: listRecords,
  },
  {
    method: "GET",
    path: "/v1/records/:host",
    access: "reader",
    summary: "One record by its root host, and how it would be with every leaf published",
    answer: { status: 200, description: "The record.", schema: recordDetail },
    problems: ["RecordUnknown", "CoordinatorUnavailable"],
    handle: readRecord,
  },
  {
    method: "GET",
    path: "/v1/probes/:id{.+}",
    access: "reader",
    summary: "One probe by its id, `cluster/namespace/name/leaf`; its slashes may be encoded",
    answer: { status: 200, description: "The probe.", schema: probeStatus },
    problems: ["ProbeUnknown", "CoordinatorUnavailable"],
    handle: readProbe,
  },
  {
    method: "GET",
    path: "/v1/regions",
    access: "reader",
    summary: "The state of each region",
    answer: { status: 200, description: "By name.", schema: z.strictObject({ regions: z.array(regionView) }) },
    problems: ["CoordinatorUnavailable"],
    handle: async (context) => {
      const views = await askAllCoordinators(context, (coordinator) => coordinator.listRegions());
      return context.json({ regions: joinRegions(views.flat()) });
    },
  },
];

async function listRecords(context: ApiContext): Promise<Response> {
  const records = await askAllCoordinators(context, (coordinator) => coordinator.listRecords());
  return context.json({ records: records.flat().sort((a, b) => (a.rootHost < b.rootHost ? -1 : 1)) });
}

async function readRecord(context: ApiContext): Promise<Response> {
  return context.json(await askForRecord(context, (coordinator, rootHost) => coordinator.readRecord(rootHost)));
}

/** Calls every partition, since the id does not contain the root host. */
async function readProbe(context: ApiContext): Promise<Response> {
  const id = context.req.param("id") ?? "";
  const found = await askAllCoordinators(context, (coordinator) => coordinator.readProbe(id));
  return context.json(found.find((probe) => probe !== undefined) ?? fail("ProbeUnknown"));
}

export const usageRoutes: Route[] = [
  {
    method: "GET",
    path: "/v1/usage",
    access: "reader",
    summary: "The billed usage of the edge and its cost",
    answer: { status: 200, description: "Today so far, and yesterday, by UTC days.", schema: usageView },
    problems: ["CoordinatorUnavailable"],
    handle: readUsage,
  },
];

async function readUsage(context: ApiContext): Promise<Response> {
  const answers = await askAllCoordinators(context, (coordinator) => coordinator.usage());
  const partitions = answers.filter((answer) => answer !== undefined);
  return context.json(usageViewOf(partitions, context.get("settings").PLAN, Date.now()));
}
