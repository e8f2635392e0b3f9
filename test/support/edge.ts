import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { hash32 } from "../../shared/hash.ts";
import type { SnapshotRecordInput } from "../../shared/model/messages/snapshot.ts";
import { signatureHeaders } from "../../shared/signature.ts";
import { encodeSnapshot } from "../../shared/snapshot.ts";
import { createApp, serve } from "../../workers/api/app.ts";
import type { CoordinatorObject } from "../../workers/coordinator/durable-object.ts";
import type { Env } from "../../workers/env.ts";
import type { CoordinatorRpc } from "../../workers/rpc.ts";
import { recordOf } from "./cluster.ts";

const bindings = env as unknown as Env;
const app = createApp();

export const ADMIN_TOKEN = "test-admin-token-0123456789";
export const VIEW_TOKEN = "test-view-token-01234567890";

export interface EdgeCall {
  method?: string;
  headers?: Record<string, string>;
  body?: BodyInit;
  token?: string | undefined;
  settings?: Record<string, unknown>;
}

/** Asks the edge as it is deployed, with the settings and bindings that the test wants other. */
export function callEdge(path: string, options: EdgeCall = {}): Promise<Response> {
  const { method = "GET", headers = {}, body, settings = {} } = options;
  const token = "token" in options ? options.token : ADMIN_TOKEN;
  const request = new Request(`https://edge.test${path}`, {
    method,
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
    ...(body !== undefined && { body }),
  });
  const all = { ...bindings, ADMIN_TOKEN, VIEW_TOKEN, ...settings } as Env;
  return serve(app, request, all, createExecutionContext());
}

/** A cluster that has registered and pushed these records, to the edge of all tests. */
export async function registerAndPush(cluster: string, records: SnapshotRecordInput[]): Promise<void> {
  const body = JSON.stringify({ cluster, hosts: ["*.example.com"] });
  const registered = await callEdge("/v1/clusters", { method: "POST", body });
  const { secret } = await registered.json<{ secret: string }>();
  const snapshot = encodeSnapshot({ clusterUid: `uid-${cluster}`, instance: "one" }, records);
  const headers = signatureHeaders(secret, `push_${crypto.randomUUID()}`, snapshot, Date.now());
  const path = `/v1/clusters/${cluster}/snapshot`;
  const pushed = await callEdge(path, { method: "PUT", token: undefined, headers, body: snapshot });
  if (!pushed.ok) throw new Error(`the snapshot was not taken: ${await pushed.text()}`);
}

export interface OwnCoordinators extends Record<string, unknown> {
  PARTITIONS: string;
  COORDINATOR: { getByName(partition: string): DurableObjectStub<CoordinatorObject> };
}

/** Settings of an edge whose coordinators no other test knows. */
export function ownCoordinators(partitions: number): OwnCoordinators {
  const first = 1_000 + Math.floor(Math.random() * 1e9);
  const getByName = (partition: string) =>
    bindings.COORDINATOR.getByName(`${first + Number(partition)}`) as DurableObjectStub<CoordinatorObject>;
  return { PARTITIONS: `${partitions}`, COORDINATOR: { getByName } };
}

/** Gives the coordinators a cluster's records, each where its host says, as the cluster's object does. */
export async function shareOut(edge: OwnCoordinators, cluster: string, hosts: readonly string[]): Promise<void> {
  const partitions = Number(edge.PARTITIONS);
  for (let partition = 0; partition < partitions; partition += 1) {
    const here = hosts.filter((host) => hash32(host) % partitions === partition);
    const shares = here.map((host) => {
      const { namespace, name, spec } = recordOf(host.split(".", 1)[0] ?? "");
      return { namespace, name, spec, published: [] };
    });
    const coordinator = edge.COORDINATOR.getByName(`${partition}`) as unknown as CoordinatorRpc;
    await coordinator.registerCluster(cluster);
    await coordinator.putShares({ version: 1, cluster, number: { epoch: Date.now(), n: 1 }, shares });
  }
}
