import { liveMessage } from "../../shared/model/overview.ts";
import { askCoordinator } from "./object-calls.ts";
import { isForeign, refuseUnknownQuery } from "./request.ts";
import { fail } from "./responses.ts";
import type { ApiContext, Route } from "./route.ts";

const QUERY = {
  partition: "Whose changes are to be told, from 0 to one below the `partitions` of the overview; 0 without it.",
  after: "Id of the last event that is known: those after it come first. Without it, from now on.",
};

export const liveRoutes: Route[] = [
  {
    method: "GET",
    path: "/v1/live",
    access: "reader",
    summary: "A WebSocket that tells of each change; the text `ping` is answered with `pong`, nothing else may be sent",
    query: QUERY,
    requestHeaders: { Upgrade: "websocket" },
    answer: { status: 101, description: "The stream is open: each message is one of these.", schema: liveMessage },
    problems: ["OriginForeign", "FieldInvalid", "UpgradeMissing", "StreamFull", "CoordinatorUnavailable"],
    handle: openStream,
  },
];

/** The stream is the coordinator's own, and learns nothing about the caller. */
async function openStream(context: ApiContext): Promise<Response> {
  if (isForeign(context)) fail("OriginForeign", "The stream is for the page of the edge itself.");
  refuseUnknownQuery(context, Object.keys(QUERY));
  const { partition: partitionText = "0", after: afterText } = context.req.query();
  const partition = wholeNumber("partition", partitionText, context.get("settings").PARTITIONS - 1);
  const after = afterText === undefined ? "" : `?after=${wholeNumber("after", afterText, Number.MAX_SAFE_INTEGER)}`;
  if (context.req.header("upgrade")?.toLowerCase() !== "websocket") {
    fail("UpgradeMissing", "Open it as a WebSocket, with the header Upgrade: websocket.");
  }
  const headers = { upgrade: "websocket" };
  return askCoordinator(context, partition, (coordinator) =>
    coordinator.fetch(new Request(`https://coordinator/live${after}`, { headers })),
  );
}

function wholeNumber(field: string, text: string, max: number): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  if (value <= max) return value;
  return fail("FieldInvalid", undefined, [{ field, value: text, rule: `must be a whole number from 0 to ${max}` }]);
}
