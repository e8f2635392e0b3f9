import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { hash32 } from "../../shared/hash.ts";
import { problem } from "../../shared/model/problem.ts";
import { callEdge, ownCoordinators, shareOut, VIEW_TOKEN } from "../../test/support/edge.ts";
import { Watcher } from "../../test/support/watcher.ts";
import type { CoordinatorObject } from "../coordinator/durable-object.ts";
import { MAX_SOCKETS } from "../coordinator/live/stream.ts";
import type { CoordinatorRpc } from "../rpc.ts";

const UPGRADE = { upgrade: "websocket" };
const OPEN = { PUBLIC_READS: "true" };

const open = (query: string, options: Parameters<typeof callEdge>[1] = {}) =>
  callEdge(`/v1/live${query}`, { ...options, headers: { ...UPGRADE, ...options.headers } });

async function kindOf(answer: Promise<Response>): Promise<string | undefined> {
  return problem
    .parse(await (await answer).json())
    .type.split("/")
    .at(-1);
}

it("streams each partition on its own", async () => {
  const settings = ownCoordinators(2);
  const hosts = ["a", "b", "c", "d", "e", "f"].map((name) => `${name}.example.com`);
  const watchers = await Promise.all(
    [0, 1].map(async (partition) => new Watcher(await open(`?partition=${partition}&after=0`, { settings }))),
  );
  await shareOut(settings, "east", hosts);
  for (const [partition, watcher] of watchers.entries()) {
    const here = hosts.filter((host) => hash32(host) % 2 === partition);
    expect(here).not.toEqual([]);
    await watcher.until(({ hosts: told }) => here.every((host) => told.includes(host)));
    expect(new Set(watcher.hosts)).toEqual(new Set(here));
  }
  for (const watcher of watchers) {
    await watcher.until(({ events }) => events.some(({ type }) => type === "ClusterRegistered"));
  }
});

describe("an upgrade", () => {
  it.each([
    ["without a token", "", { token: undefined }, "TokenMissing"],
    ["of the public", "", { token: undefined, settings: { PUBLIC_VIEW: "overview" } }, "TokenMissing"],
    ["of another site", "", { headers: { origin: "https://evil.test" }, settings: OPEN }, "OriginForeign"],
    ["of a page without an origin", "", { headers: { origin: "null" }, settings: OPEN }, "OriginForeign"],
    ["that is none", "", { headers: { upgrade: "h2c" } }, "UpgradeMissing"],
    ["of a partition that is not there", "?partition=1", {}, "FieldInvalid"],
    ["of a partition that is no number", "?partition=x", {}, "FieldInvalid"],
    ["after what is no id", "?after=-1", {}, "FieldInvalid"],
    ["with a query that nobody knows", "?from=1", {}, "FieldInvalid"],
  ])("%s is refused", async (_, query, options, kind) => {
    expect(await kindOf(open(query, options))).toBe(kind);
  });

  it.each([
    ["of the page of the edge itself", { token: undefined, headers: { origin: "https://edge.test" } }, OPEN],
    ["with the view token", { token: VIEW_TOKEN }],
  ])("%s is taken", async (_, options, more: object = {}) => {
    const answer = await open("", { ...options, settings: { ...ownCoordinators(1), ...more } });
    expect(answer.status).toBe(101);
    const watcher = new Watcher(answer);
    await watcher.until(({ messages }) => messages.length === 1);
    expect(watcher.messages[0]).toMatchObject({ lastEventId: 0, events: [] });
  });

  it("is refused where too many watch, until those that have long been silent make room", async () => {
    const settings = ownCoordinators(1);
    const watchers: Watcher[] = [];
    while (watchers.length < MAX_SOCKETS) watchers.push(new Watcher(await open("", { settings })));
    expect(await kindOf(open("", { settings }))).toBe("StreamFull");
    const coordinator = settings.COORDINATOR.getByName("0");
    await runInDurableObject(coordinator, ({ dependencies }: CoordinatorObject) => {
      dependencies.now = () => Date.now() + 300_000;
    });
    const watcher = new Watcher(await open("", { settings }));
    await watcher.until(({ messages }) => messages.length === 1);
    await (coordinator as unknown as CoordinatorRpc).registerCluster("east");
    await watcher.until(({ events }) => events.length === 1);
    await watchers[0]?.until(({ closed }) => closed?.code === 1008);
  });
});
