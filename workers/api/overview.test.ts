import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { type Overview, overview } from "../../shared/model/overview.ts";
import { recordDetail } from "../../shared/model/record-detail.ts";
import { recordOf } from "../../test/support/cluster.ts";
import {
  callEdge,
  type OwnCoordinators,
  ownCoordinators,
  registerAndPush,
  shareOut,
  VIEW_TOKEN,
} from "../../test/support/edge.ts";
import type { Env } from "../env.ts";
import { createApp, serve } from "./app.ts";

const { CLUSTER } = env as unknown as Env;
const HOSTS = ["a", "b", "c", "d", "e", "f"].map((name) => `${name}.example.com`);
const LEAF = "203.0.113.10";

afterEach(() => {
  vi.restoreAllMocks();
});

const read = async (options: Parameters<typeof callEdge>[1] = {}) => {
  const answer = await callEdge("/v1/overview", options);
  expect(answer.status).toBe(200);
  return overview.parse(await answer.json());
};

/** An edge of its own in four partitions, in which the cluster has its records as the hash of the root host says. */
async function edge(cluster: string, hosts = HOSTS): Promise<OwnCoordinators> {
  const settings = ownCoordinators(4);
  await registerAndPush(cluster, [recordOf("one")]);
  await shareOut(settings, cluster, hosts);
  return settings;
}

it("joins the records of all partitions, by root host, with regions and clusters", async () => {
  const settings = await edge("joined");
  const answer = await read({ settings });
  expect(answer).toMatchObject({ partitions: 4, role: "admin", addressesHidden: false });
  expect(answer.records.map(({ rootHost }) => rootHost)).toEqual(HOSTS);
  expect(answer.records[0]).toMatchObject({ clusters: ["joined"], state: "NotProbed", leaves: [{ leaf: LEAF }] });
  expect(answer.clusters).toMatchObject([{ cluster: "joined", records: 1, reachable: true }]);
  expect(JSON.stringify(answer)).not.toMatch(/whsec_|uid-joined/);
});

it("shows each role no more than it may see", async () => {
  const settings = { ...(await edge("roles")), PUBLIC_VIEW: "overview" };
  expect((await read({ settings, token: VIEW_TOKEN })).role).toBe("viewer");
  const open = await read({ settings, token: undefined });
  expect(open).toMatchObject({ role: "public", addressesHidden: false, clusters: [] });
  expect(open.records[0]).toMatchObject({ clusters: [], leaves: [{ leaf: LEAF }] });
  const hidden = await read({ settings: { ...settings, PUBLIC_VIEW: "overview-without-addresses" }, token: undefined });
  expect(hidden).toMatchObject({ role: "public", addressesHidden: true, clusters: [] });
  expect(hidden.records[0]?.leaves).toMatchObject([{ leaf: "address 1", published: true }]);
  expect(JSON.stringify(hidden)).not.toMatch(/203\.0\.113|roles/);
});

it("shows a cluster whose object does not answer, and never fails for it", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const settings = await edge("half");
  await registerAndPush("sound", [recordOf("sound")]);
  await shareOut(settings, "sound", ["sound.example.com"]);
  const broken = { describe: () => Promise.reject(new Error("reset S3CR3T")) };
  const objects = { getByName: (name: string) => (name === "half" ? broken : CLUSTER.getByName(name)) };
  const answer = await read({ settings: { ...settings, CLUSTER: objects } });
  expect(answer.clusters).toMatchObject([
    { cluster: "half", reachable: false, conditions: [{ type: "Answers", reason: "ObjectUnavailable" }] },
    { cluster: "sound", reachable: true, records: 1 },
  ]);
  expect(JSON.stringify(answer)).not.toContain("S3CR3T");
});

it("tells of one record also what it would be with every leaf published", async () => {
  const settings = await edge("detail");
  const answer = await callEdge("/v1/records/a.example.com", { settings });
  const detail = recordDetail.parse(await answer.json());
  expect(detail).toMatchObject({ minPublished: 1, wanted: [{ targets: [LEAF] }], endpoints: [{ targets: [LEAF] }] });
});

it("asks the coordinators once a second for all of the public, and for each of the others", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const settings = await edge("asked");
  let asked = 0;
  const getByName = (name: string) => {
    asked += 1;
    return settings.COORDINATOR.getByName(name);
  };
  const bindings = { ...env, ...settings, PUBLIC_VIEW: "overview", VIEW_TOKEN, COORDINATOR: { getByName } };
  const ask = async (headers: Record<string, string> = {}) => {
    const request = new Request("https://edge.test/v1/overview", { headers });
    return (await serve(createApp(), request, bindings as unknown as Env, createExecutionContext())).json<Overview>();
  };
  const first = await ask();
  expect(overview.parse(first)).toMatchObject({ role: "public", clusters: [] });
  for (let more = 0; more < 5; more += 1) expect(await ask()).toEqual(first);
  expect(asked).toBe(4);
  expect((await ask({ authorization: `Bearer ${VIEW_TOKEN}` })).role).toBe("viewer");
  expect(asked).toBe(8);
  vi.setSystemTime(Date.now() + 1_000);
  await ask();
  expect(asked).toBe(12);
  vi.useRealTimers();
});
