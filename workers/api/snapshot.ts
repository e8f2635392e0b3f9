import { MAX_SNAPSHOT_BYTES, snapshotHeader, snapshotReceipt } from "../../shared/model/messages/snapshot.ts";
import { fail, resultResponse } from "./answers.ts";
import { readText } from "./body.ts";
import { namedCluster } from "./objects.ts";
import type { ApiContext, Route } from "./route.ts";
import { signedHeaders } from "./signed.ts";

export const snapshotRoutes: Route[] = [
  {
    method: "PUT",
    path: "/v1/clusters/:cluster/snapshot",
    access: "signed",
    summary: "Replace everything that the cluster wants watched",
    requestHeaders: { "If-Match": "ETag of the last answer; absent for the first snapshot of all." },
    body: {
      contentType: "application/x-ndjson",
      schema: snapshotHeader,
      description: "The header on the first line, then one record (SnapshotRecord) a line.",
    },
    answer: { status: 200, description: "What became of each record, with ETag.", schema: snapshotReceipt },
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
