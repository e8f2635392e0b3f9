import { z } from "zod";
import { clusterRegistration, clusterView } from "../../shared/model/cluster.ts";
import { clusterOf } from "../env.ts";
import { webhookFault } from "../webhook-url.ts";
import { askCoordinator, namedCluster } from "./object-calls.ts";
import { readJson } from "./request.ts";
import { fail, resultResponse } from "./responses.ts";
import type { ApiContext, Route } from "./route.ts";

const secretOnce = z.strictObject({
  cluster: z.string(),
  secret: z.string().describe("Shown only once. Both sides sign with it (Standard Webhooks)."),
});
const PATH = "/v1/clusters";
const ONE = `${PATH}/:cluster`;

export const clusterRoutes: Route[] = [
  {
    method: "POST",
    path: PATH,
    access: "admin",
    summary: "Register a cluster and the hosts that it may use. The response has its secret, only once",
    body: { contentType: "application/json", schema: clusterRegistration },
    answer: { status: 201, description: "The cluster is registered.", schema: secretOnce },
    problems: ["MalformedBody", "FieldInvalid", "BodyTooLarge", "ClusterExists"],
    handle: register,
  },
  {
    method: "GET",
    path: PATH,
    access: "admin",
    summary: "All clusters",
    answer: { status: 200, description: "By name.", schema: z.strictObject({ clusters: z.array(clusterView) }) },
    problems: ["CoordinatorUnavailable"],
    handle: list,
  },
  {
    method: "GET",
    path: ONE,
    access: "admin",
    summary: "One cluster with its binding and the state of its deliveries",
    answer: { status: 200, description: "The cluster.", schema: clusterView },
    problems: ["ClusterUnknown"],
    handle: async (context) => context.json((await namedCluster(context).describe()) ?? fail("ClusterUnknown")),
  },
  {
    method: "DELETE",
    path: ONE,
    access: "admin",
    summary: "Forget a cluster, its shares and its secrets",
    answer: { status: 204, description: "The cluster is forgotten." },
    problems: ["ClusterUnknown", "CoordinatorUnavailable"],
    handle: async (context) => resultResponse(await namedCluster(context).remove(), () => context.body(null, 204)),
  },
  {
    method: "POST",
    path: `${ONE}/rotate`,
    access: "admin",
    summary: "Give the cluster a new secret. The previous one stays valid until the next rotation",
    answer: { status: 200, description: "The new secret.", schema: secretOnce },
    problems: ["ClusterUnknown"],
    handle: rotate,
  },
  {
    method: "POST",
    path: `${ONE}/rebind`,
    access: "admin",
    summary: "Let the next snapshot bind another clusterUid to the name",
    answer: { status: 204, description: "The name is free to be bound." },
    problems: ["ClusterUnknown"],
    handle: async (context) => resultResponse(await namedCluster(context).rebind(), () => context.body(null, 204)),
  },
];

async function register(context: ApiContext): Promise<Response> {
  const registration = await readJson(context, clusterRegistration);
  const { cluster, hosts, webhookUrl } = registration;
  const rule = webhookUrl && webhookFault(webhookUrl, context.get("settings").ALLOW_PRIVATE_ADDRESSES);
  if (rule) fail("FieldInvalid", undefined, [{ field: "webhookUrl", rule }]);
  const uniqueHosts = [...new Set(hosts)];
  const result = await clusterOf(context.env, cluster).register({ ...registration, hosts: uniqueHosts });
  return resultResponse(result, ({ secret }) =>
    context.json({ cluster, secret }, 201, { location: `${PATH}/${cluster}` }),
  );
}

async function list(context: ApiContext): Promise<Response> {
  const names = await askCoordinator(context, 0, (coordinator) => coordinator.listClusters());
  const views = await Promise.all(names.sort().map((name) => clusterOf(context.env, name).describe()));
  return context.json({ clusters: views.filter((view) => view !== undefined) });
}

async function rotate(context: ApiContext): Promise<Response> {
  const result = await namedCluster(context).rotate();
  return resultResponse(result, ({ secret }) => context.json({ cluster: context.req.param("cluster"), secret }));
}
