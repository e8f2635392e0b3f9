import { afterAll, beforeAll, expect, test } from "vitest";
import type { Event } from "../../shared/model/event.ts";
import { overview } from "../../shared/model/overview.ts";
import { LiveClient, upgradeFrom } from "./support/live-client.ts";
import { recordYaml } from "./support/records.ts";
import { startWorld, type World } from "./support/stack.ts";
import { until } from "./support/until.ts";

const HOST = "shop.example.test";
const ADDRESSES = ["127.0.0.21", "127.0.0.22"];

let world: World;

beforeAll(async () => {
  world = await startWorld({
    addresses: ADDRESSES,
    records: (port) => ({ "shop.yaml": recordYaml(HOST, port, { targets: ADDRESSES }) }),
  });
  await until("a healthy record", async () => (await readOverview())?.records[0]?.state === "Healthy");
});
afterAll(() => world?.stop());

const readOverview = async () => overview.safeParse(await world.stack.readEdge("/v1/overview")).data;
const stateIn = ({ messages }: LiveClient) => messages.findLast(({ records }) => records.length > 0)?.records[0]?.state;
const eventsOfEdge = async () => ((await world.stack.readEdge("/v1/events?last=500")) as { events: Event[] }).events;

test("a change comes over the socket, and the overview says the same", async () => {
  const client = new LiveClient(world.stack.edgeUrl);
  await until("the first message", () => client.messages.length > 0);
  expect(client.messages[0]).toMatchObject({ partition: 0, records: [], events: [] });
  await world.gateways[0]?.change("status");
  await until("the record to be degraded", () => stateIn(client) === "Degraded");
  await until("word of it in DNS", () => client.events.some(({ type }) => type === "Delivered"));
  const types = new Set(client.events.map(({ type }) => type));
  expect([...types]).toEqual(expect.arrayContaining(["VerdictChanged", "DecisionChanged", "Delivered"]));
  const newest = client.messages.findLast(({ records }) => records.length > 0)?.records[0];
  expect((await readOverview())?.records[0]).toMatchObject({ state: "Degraded", leaves: newest?.leaves });
  client.send("ping");
  await until("the answer to a ping", () => client.answers.includes("pong"));
  client.close();
});

test("over a restart of the edge a client misses no event and gets none twice", async () => {
  const first = new LiveClient(world.stack.edgeUrl, 0);
  await until("the first message", () => first.events.length > 0);
  await world.stack.stopEdge();
  await until("the loss of the connection", () => first.isClosed);
  await world.gateways[0]?.change(undefined);
  await world.stack.startEdge();
  const second = new LiveClient(world.stack.edgeUrl, first.lastEventId);
  await until("the record to be healthy again", () => stateIn(second) === "Healthy");
  // More may come while the log is read.
  const { lastEventId } = second;
  const idsOf = (events: Event[]) => events.flatMap(({ id }) => (id <= lastEventId ? id : []));
  expect(idsOf([...first.events, ...second.events])).toEqual(idsOf(await eventsOfEdge()));
  second.close();
});

test("a page of another host is refused, that of the edge is not", async () => {
  const { edgeUrl } = world.stack;
  expect(await upgradeFrom(edgeUrl, "https://evil.example")).toBe(403);
  expect(await upgradeFrom(edgeUrl, "null")).toBe(403);
  expect(await upgradeFrom(edgeUrl, edgeUrl)).toBe(101);
});
