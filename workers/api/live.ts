import { liveMessage } from "../../shared/model/overview.ts";
import { askCoordinator } from "./object-calls.ts";
import { isCrossOrigin, refuseUnknownQuery } from "./request.ts";
import { fail } from "./responses.ts";
import type { ApiContext, Route } from "./route.ts";

const QUERY = {
  partition: "The partition to stream, from 0 to one below the `partitions` of the overview. The default is 0.",
  after: "Id of the last known event. Later events are sent first. Without it, only new events are sent.",
};

export const liveRoutes: Route[] = [
  {
    method: "GET",
    path: "/v1/live",
    access: "reader",
    summary: "A WebSocket that streams changes. The client may send only the text `ping`, which gets `pong`",
    query: QUERY,
    requestHeaders: { Upgrade: "websocket" },
    answer: { status: 101, description: "The stream is open. Each message has this schema.", schema: liveMessage },
    problems: ["OriginForeign", "FieldInvalid", "UpgradeMissing", "StreamFull", "CoordinatorUnavailable"],
    handle: openStream,
  },
];

/** Connects the caller to the coordinator. The coordinator gets no headers of the caller. */
async function openStream(context: ApiContext): Promise<Response> {
  if (isCrossOrigin(context)) fail("OriginForeign", "Only the page of the edge itself may open the stream.");
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
