import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { signatureHeaders } from "../../../shared/signature.ts";
import { encodeSnapshot } from "../../../shared/snapshot.ts";
import { recordOf, until } from "../../../test/support/cluster.ts";
import type { Env } from "../../env.ts";
import { createApp, serve } from "../app.ts";

const bindings = env as unknown as Env;
const ADMIN = "admin-token-0123456789";
const app = createApp();

afterEach(() => {
  vi.restoreAllMocks();
});

function call(
  method: string,
  path: string,
  more: { headers?: Record<string, string>; body?: string; env?: object } = {},
) {
  const headers = more.headers ?? { authorization: `Bearer ${ADMIN}` };
  const request = new Request(`https://edge.test${path}`, { method, headers, ...(more.body && { body: more.body }) });
  return serve(app, request, { ...bindings, ADMIN_TOKEN: ADMIN, ...more.env }, createExecutionContext());
}

const scrape = async (more: object = {}) => (await call("GET", "/metrics", { env: more })).text();

async function begin(cluster: string): Promise<void> {
  const registered = await call("POST", "/v1/clusters", {
    body: JSON.stringify({ cluster, hosts: ["*.example.com"] }),
  });
  const { secret } = await registered.json<{ secret: string }>();
  const body = encodeSnapshot({ clusterUid: "uid", instance: "one" }, [recordOf("told")]);
  const headers = signatureHeaders(secret, "push_1", body, Date.now());
  expect((await call("PUT", `/v1/clusters/${cluster}/snapshot`, { headers, body })).status).toBe(200);
}

/** An object that cannot be reached, where its name is this. */
function without(namespace: "COORDINATOR" | "CLUSTER", name: string): object {
  const inner = bindings[namespace] as DurableObjectNamespace;
  const getByName = (wanted: string) => {
    if (wanted === name) throw new Error("Network connection lost.");
    return inner.getByName(wanted);
  };
  return { [namespace]: { getByName } };
}

describe("a scrape", () => {
  it("tells of records, clusters, partitions and the build, as text that Prometheus takes", async () => {
    await begin("told");
    await until(async () => (await scrape()).includes('record_state{host="told.example.com",state="not_probed"} 1'));
    const answer = await call("GET", "/metrics");
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(answer.headers.get("cache-control")).toBe("private, no-store");
    const lines = (await answer.text()).split("\n");
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^vedette_edge_build_info\{version="\d+\.\d+\.\d+"\} 1$/),
        'vedette_edge_partition_up{partition="0"} 1',
        'vedette_edge_record_leaves{host="told.example.com",state="published"} 1',
        'vedette_edge_cluster_up{cluster="told"} 1',
        'vedette_edge_cluster_records{cluster="told"} 1',
        'vedette_edge_cluster_delivery_consecutive_failures{cluster="told"} 0',
      ]),
    );
  });

  it("is answered to who reads, and to nobody else", async () => {
    expect((await call("GET", "/metrics", { headers: {} })).status).toBe(401);
    expect((await call("GET", "/metrics", { headers: {}, env: { PUBLIC_VIEW: "overview" } })).status).toBe(401);
    expect((await call("GET", "/metrics", { headers: {}, env: { PUBLIC_READS: "true" } })).status).toBe(200);
  });

  it("goes on without a partition or a cluster that does not answer, and says so", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const lame = await scrape({ PARTITIONS: "2", ...without("COORDINATOR", "1") });
    expect(lame).toContain('vedette_edge_partition_up{partition="0"} 1\nvedette_edge_partition_up{partition="1"} 0\n');
    expect(lame).toContain('record_state{host="told.example.com"');
    const clusterless = await scrape(without("CLUSTER", "told"));
    expect(clusterless).toContain('vedette_edge_cluster_up{cluster="told"} 0\n');
    expect(clusterless).not.toContain("cluster_reachable");
  });
});
