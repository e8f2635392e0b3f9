import { wholeDelivery } from "../../shared/model/messages/delivery.ts";
import { recordsView } from "../../shared/model/messages/records-view.ts";
import { NO_NUMBER, parseNumber } from "../../shared/number.ts";
import type { SignedRequest } from "../../shared/signature.ts";
import { fail, resultResponse } from "./answers.ts";
import { namedCluster } from "./objects.ts";
import type { ApiContext, Route } from "./route.ts";
import { signedHeaders } from "./signed.ts";

export const deliveryRoutes: Route[] = [
  {
    method: "GET",
    path: "/v1/clusters/:cluster/delivery",
    access: "signed",
    summary: "The newest delivery, for an agent that cannot be called; what is signed is the request target",
    query: { after: "The highest number applied, as `epoch.n`: it is acknowledged by this." },
    answer: { status: 200, description: "Full where it is newer than `after`, else Contact.", schema: wholeDelivery },
    problems: ["ClusterUnknown", "FieldInvalid"],
    handle: pull,
  },
  {
    method: "GET",
    path: "/v1/clusters/:cluster/records",
    access: "signed",
    summary: "The cluster's records as they are now, to be shown; what is signed is the request target",
    answer: { status: 200, description: "By root host, of every partition that answers.", schema: recordsView },
    problems: ["ClusterUnknown"],
    handle: view,
  },
];

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
