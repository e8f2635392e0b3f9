import { wholeDelivery } from "../../shared/model/messages/delivery.ts";
import { recordsView } from "../../shared/model/messages/records-view.ts";
import { MAX_SNAPSHOT_BYTES, snapshotHeader, snapshotReceipt } from "../../shared/model/messages/snapshot.ts";
import { NO_NUMBER, parseNumber } from "../../shared/number.ts";
import type { SignedRequest } from "../../shared/signature.ts";
import { namedCluster } from "./object-calls.ts";
import { readText } from "./request.ts";
import { fail, resultResponse } from "./responses.ts";
import type { ApiContext, Route } from "./route.ts";

/** The routes that agents call. Each request is signed. */
export const agentRoutes: Route[] = [
  {
    method: "PUT",
    path: "/v1/clusters/:cluster/snapshot",
    access: "signed",
    summary: "Replace all records of the cluster",
    requestHeaders: { "If-Match": "ETag of the last response; absent for the very first snapshot." },
    body: {
      contentType: "application/x-ndjson",
      schema: snapshotHeader,
      description: "The header on the first line, then one record (SnapshotRecord) a line.",
    },
    answer: { status: 200, description: "The result for each record, with ETag.", schema: snapshotReceipt },
    problems: [
      "MalformedBody",
      "ClusterUnknown",
      "ClusterIdentityMismatch",
      "SnapshotShrunk",
      "SnapshotOutdated",
      "SnapshotOvertaken",
      "BodyTooLarge",
      "SnapshotCutOff",
      "SnapshotTagMissing",
    ],
    handle: putSnapshot,
  },
  {
    method: "GET",
    path: "/v1/clusters/:cluster/delivery",
    access: "signed",
    summary: "The newest delivery, for an agent that the edge cannot call. The signature covers the request target",
    query: { after: "The highest number applied, as `epoch.n`. The request acknowledges it." },
    answer: { status: 200, description: "Full if it is newer than `after`, else Contact.", schema: wholeDelivery },
    problems: ["ClusterUnknown", "FieldInvalid"],
    handle: pull,
  },
  {
    method: "GET",
    path: "/v1/clusters/:cluster/records",
    access: "signed",
    summary: "The current state of the cluster's records. The signature covers the request target",
    answer: { status: 200, description: "By root host, of every partition that answers.", schema: recordsView },
    problems: ["ClusterUnknown"],
    handle: view,
  },
];

async function putSnapshot(context: ApiContext): Promise<Response> {
  const cluster = namedCluster(context);
  const signature = signedHeaders(context);
  if (signature.webhookSignature === undefined) fail("SignatureMissing");
  const body = await readText(context, MAX_SNAPSHOT_BYTES);
  const ifMatch = context.req.header("if-match");
  const request = { ...signature, body, ...(ifMatch !== undefined && { ifMatch }) };
  const result = await cluster.putSnapshot(request);
  return resultResponse(result, ({ receipt }) => context.json(receipt, 200, { etag: receipt.etag }));
}

async function pull(context: ApiContext): Promise<Response> {
  const cluster = namedCluster(context);
  const text = context.req.query("after");
  const after = text === undefined ? NO_NUMBER : parseNumber(text);
  if (after === undefined) {
    return fail("FieldInvalid", undefined, [
      { field: "after", value: text ?? "", rule: "must be a number such as 17.3" },
    ]);
  }
  const result = await cluster.pull({ ...signedTarget(context), after });
  return resultResponse(result, (value) => context.json(value.delivery));
}

async function view(context: ApiContext): Promise<Response> {
  const result = await namedCluster(context).view(signedTarget(context));
  return resultResponse(result, (value) => context.json(value.view));
}

function signedTarget(context: ApiContext): SignedRequest {
  const { pathname, search } = new URL(context.req.url);
  return { ...signedHeaders(context), body: pathname + search };
}

/** The headers of a Standard Webhooks signature. */
function signedHeaders(context: ApiContext): Omit<SignedRequest, "body"> {
  return {
    webhookId: context.req.header("webhook-id"),
    webhookTimestamp: context.req.header("webhook-timestamp"),
    webhookSignature: context.req.header("webhook-signature"),
  };
}
