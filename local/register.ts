import { z } from "zod";

/** The cluster that the local stack registers at its edge. */
export const CLUSTER = "local";

export type Registration = { hosts: string[]; webhookUrl: string };

const registered = z.object({ secret: z.string() });

/**
 * Registers the cluster at the edge and gives its webhook secret. A cluster left by an earlier run is kept, with all
 * that the edge knows of it, when its secret is still known and nothing else changed; otherwise it is made anew.
 */
export async function registerCluster(
  edgeUrl: string,
  adminToken: string,
  registration: Registration,
  knownSecret: string | undefined,
): Promise<string> {
  const call = (method: string, path: string, body?: object) =>
    fetch(`${edgeUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const found = await call("GET", `/v1/clusters/${CLUSTER}`);
  if (found.ok) {
    const view = (await found.json()) as Partial<Registration>;
    if (knownSecret !== undefined && isSame(view, registration)) return knownSecret;
    await refuseUnlessOk(await call("DELETE", `/v1/clusters/${CLUSTER}`));
  } else {
    await found.body?.cancel();
  }
  const made = await call("POST", "/v1/clusters", { cluster: CLUSTER, ...registration });
  await refuseUnlessOk(made);
  return registered.parse(await made.json()).secret;
}

const isSame = (view: Partial<Registration>, wanted: Registration) =>
  view.webhookUrl === wanted.webhookUrl && JSON.stringify(view.hosts) === JSON.stringify(wanted.hosts);

async function refuseUnlessOk(response: Response): Promise<void> {
  if (response.ok) return;
  const isProblem = response.headers.get("content-type")?.startsWith("application/problem+json");
  const detail = isProblem ? await response.text() : "see edge.log in the state folder";
  throw new Error(`the edge refused the cluster (${response.status}): ${detail}`);
}
