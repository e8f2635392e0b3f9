import { z } from "zod";
import { event } from "../../shared/model/event.ts";
import { type EventPage, pageAfter, pageBefore } from "./event-pages.ts";
import { askCoordinator } from "./object-calls.ts";
import { refuseUnknownQuery } from "./request.ts";
import { fail } from "./responses.ts";
import type { ApiContext, Route } from "./route.ts";

const MAX_LAST = 500;
const CURSOR_RULE = "must be the `next` or `previous` of an earlier page";

const eventPage = z.strictObject({
  events: z
    .array(event.extend({ partition: z.int().nonnegative() }))
    .describe("By time, oldest first. An id is unique within its partition."),
  next: z.string().describe("Cursor of the next page, even if this page is empty."),
  previous: z.string().describe("Cursor of the previous page, which is empty if there are no earlier events."),
});

const QUERY = {
  after:
    "The `next` of an earlier page: only later events, oldest first. Without any parameter, from the oldest event.",
  last: `Instead of \`after\`: the number of newest events, 1 to ${MAX_LAST}.`,
  before: "With `last`: the `previous` of an earlier page, for the newest events before it.",
};

export const eventRoutes: Route[] = [
  {
    method: "GET",
    path: "/v1/events",
    access: "reader",
    summary: "Events, oldest first; the log is bounded",
    query: QUERY,
    answer: { status: 200, description: "A page.", schema: eventPage },
    problems: ["FieldInvalid", "CoordinatorUnavailable"],
    handle: listEvents,
  },
];

async function listEvents(context: ApiContext): Promise<Response> {
  refuseUnknownQuery(context, Object.keys(QUERY));
  const { after, last, before } = context.req.query();
  if (after !== undefined && (last ?? before) !== undefined) {
    const field = last === undefined ? "before" : "last";
    fail("FieldInvalid", undefined, [{ field, rule: "must not be given together with `after`" }]);
  }
  const isBack = (last ?? before) !== undefined;
  const { events, next, previous } = isBack ? await readBack(context, last, before) : await readOn(context, after);
  return context.json({ events, next: next.join(), previous: previous.join() });
}

/** Each partition numbers its own events. So a cursor has one id for each partition. */
async function readOn(context: ApiContext, text: string | undefined): Promise<EventPage> {
  const partitions = context.get("settings").PARTITIONS;
  const after = text === undefined ? Array.from({ length: partitions }, () => 0) : cursorOf("after", text, partitions);
  const pages = await Promise.all(
    after.map((id, partition) => askCoordinator(context, partition, (coordinator) => coordinator.listEvents(id))),
  );
  return pageAfter(pages, after);
}

async function readBack(context: ApiContext, lastText = `${MAX_LAST}`, text?: string): Promise<EventPage> {
  const partitions = context.get("settings").PARTITIONS;
  const last = lastOf(lastText);
  const before: (number | undefined)[] =
    text === undefined ? Array.from({ length: partitions }) : cursorOf("before", text, partitions);
  const pages = await Promise.all(
    before.map((id, partition) =>
      askCoordinator(context, partition, (coordinator) => coordinator.listNewestEvents(last, id)),
    ),
  );
  return pageBefore(pages, last, before);
}

function cursorOf(field: string, text: string, partitions: number): number[] {
  const ids = text.split(",").map((part) => (/^\d{1,15}$/.test(part) ? Number(part) : Number.NaN));
  if (ids.length === partitions && !ids.some(Number.isNaN)) return ids;
  return fail("FieldInvalid", undefined, [{ field, value: text, rule: CURSOR_RULE }]);
}

function lastOf(text: string): number {
  const last = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (last >= 1 && last <= MAX_LAST) return last;
  return fail("FieldInvalid", undefined, [{ field: "last", value: text, rule: `must be from 1 to ${MAX_LAST}` }]);
}
