import { z } from "zod";
import { event } from "../../shared/model/event.ts";
import { fail } from "./answers.ts";
import { askCoordinator } from "./objects.ts";
import type { ApiContext, Route } from "./route.ts";

const eventPage = z.strictObject({
  events: z.array(event).describe("By time; an id is unique within its partition."),
  next: z.string().describe("Cursor for the next page, also where this one is empty."),
});

export const eventRoutes: Route[] = [
  {
    method: "GET",
    path: "/v1/events",
    access: "reader",
    summary: "What has happened, oldest first; the log is bounded",
    query: { after: "The `next` of the page before." },
    answer: { status: 200, description: "A page.", schema: eventPage },
    problems: ["FieldInvalid", "CoordinatorUnavailable"],
    handle: listEvents,
  },
];

/** Each partition numbers its own events, so the cursor names one id for each. */
async function listEvents(context: ApiContext): Promise<Response> {
  const partitions = context.get("settings").PARTITIONS;
  const after = cursorOf(context.req.query("after"), partitions);
  const pages = await Promise.all(
    after.map((id, partition) => askCoordinator(context, partition, (coordinator) => coordinator.listEvents(id))),
  );
  const next = pages.map((page, partition) => page.at(-1)?.id ?? after[partition]).join(",");
  return context.json({ events: pages.flat().sort((a, b) => a.at - b.at || a.id - b.id), next });
}

function cursorOf(text: string | undefined, partitions: number): number[] {
  if (text === undefined) return Array.from({ length: partitions }, () => 0);
  const ids = text.split(",").map((part) => (/^\d{1,15}$/.test(part) ? Number(part) : Number.NaN));
  if (ids.length === partitions && !ids.some(Number.isNaN)) return ids;
  return fail("FieldInvalid", undefined, [
    { field: "after", value: text, rule: "must be the `next` of an earlier page" },
  ]);
}
