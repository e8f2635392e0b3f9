import { afterAll, beforeAll, expect, test } from "vitest";
import { HAS_PROMTOOL, promtool } from "../monitoring/promtool.ts";
import { type LoneEdge, pushSecretly, registerSecretly, startLoneEdge, startTellTale } from "./support/secret-edge.ts";
import { until } from "./support/until.ts";

const ADMIN = "admin-token-0123456789";
const VIEW = "view-token-0123456789";
const KEY = Buffer.from("k".repeat(32)).toString("base64");

let edge: LoneEdge;
let gateway: Awaited<ReturnType<typeof startTellTale>>;

beforeAll(async () => {
  gateway = await startTellTale();
  edge = await startLoneEdge({
    ADMIN_TOKEN: ADMIN,
    VIEW_TOKEN: VIEW,
    HEADER_KEY: KEY,
    ALLOW_PRIVATE_ADDRESSES: "true",
    CANARIES: "",
    COLO_URL: "",
  });
  const cluster = await registerSecretly(edge, ADMIN, "east", `http://127.0.0.1:${gateway.port}/v1/delivery`);
  await pushSecretly(edge, cluster, { "X-Probe": "one" }, gateway.port);
});

afterAll(async () => {
  await edge?.stop();
  await gateway?.stop();
});

async function scrape(): Promise<string> {
  const answer = await fetch(`${edge.url}/metrics`, { headers: { authorization: `Bearer ${VIEW}` } });
  expect(answer.status).toBe(200);
  return await answer.text();
}

test("a scrape of the running edge tells of a leaf that fails, and promtool has nothing against it", async () => {
  const withheld = 'vedette_edge_record_leaves{host="api.example.test",state="withheld"} 1\n';
  const text = await until("the leaf that is withheld", async () => {
    const now = await scrape();
    return now.includes(withheld) && now.includes('address="127.0.0.2",region="weur"} 0\n') ? now : undefined;
  });
  const healthy = 'host="api.example.test",cluster="east",namespace="shop",record="api",address="127.0.0.1"';
  expect(text).toContain('vedette_edge_record_state{host="api.example.test",state="degraded"} 1\n');
  expect(text).toContain(`vedette_edge_probe_success{${healthy},region="weur"} 1\n`);
  expect(text).toContain(`vedette_edge_probe_verdict{${healthy},verdict="healthy"} 1\n`);
  expect(text).toContain(`vedette_edge_probe_phase_duration_seconds{${healthy},region="weur",phase="connect"} `);
  expect(text).toContain('vedette_edge_cluster_up{cluster="east"} 1\n');
  if (HAS_PROMTOOL) expect(promtool(["check", "metrics"], text)).toEqual({ ok: true, said: "" });
});
