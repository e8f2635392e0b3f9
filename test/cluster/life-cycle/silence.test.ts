import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Scene } from "../support/scene.ts";
import { sharedCluster } from "../support/shared.ts";
import { until } from "../support/world.ts";

const ADDRESSES = ["127.0.0.101", "127.0.0.102"] as const;
const RECORDS = { publish: "Publish", freeze: "Freeze" } as const;
const NAMES = Object.keys(RECORDS);
const STALE_AFTER_MS = 10_000;

let scene: Scene;

beforeAll(async () => {
  scene = await Scene.start(sharedCluster(), ADDRESSES, {
    settings: { EDGE_STALE_AFTER: `${STALE_AFTER_MS}ms`, LEADER_LEASE: "4s" },
    // The edge makes three contacts within this time.
    edgeSettings: { EDGE_STALE_AFTER: "6s" },
  });
  for (const [name, whenSilent] of Object.entries(RECORDS)) {
    await scene.world.apply(scene.record(name, { rootHost: hostOf(name), addresses: ADDRESSES, spec: { whenSilent } }));
  }
});
afterAll(() => scene?.stop());
beforeEach(({ onTestFailed }) => onTestFailed(() => scene.explain()));

const hostOf = (name: string) => `${name}.${scene.zone}`;
const replica = () => scene.world.replicas[0]!;

async function forEach(work: (name: string) => Promise<unknown>): Promise<void> {
  for (const name of NAMES) await work(name);
}

/** Both addresses in DNS, then the first gateway broken and out of it. */
async function breakFirst(): Promise<void> {
  scene.gateways[0]!.status = 200;
  await forEach((name) => scene.untilPublished(hostOf(name), ADDRESSES));
  scene.gateways[0]!.status = 500;
  await forEach((name) => scene.untilPublished(hostOf(name), [ADDRESSES[1]]));
}

test("the edge silent: Publish brings all back, Freeze keeps the last decision; once it is heard its word holds again", async () => {
  await breakFirst();
  const marks = NAMES.map((name) => scene.published.mark(hostOf(name)));
  await scene.world.edge.halt();
  const conditions = [];
  for (const name of NAMES) conditions.push(await scene.untilCondition(name, "EdgeReachable", "False NoContact"));
  await scene.untilPublished(hostOf("publish"), ADDRESSES);
  for (const [index, { message }] of conditions.entries()) console.log(`${NAMES[index]}: ${message}`);
  await scene.world.edge.start();
  await forEach((name) => scene.untilCondition(name, "EdgeReachable", "True Contact"));
  await forEach((name) => scene.untilPublished(hostOf(name), [ADDRESSES[1]]));
  const seen = NAMES.map((name, index) => scene.published.since(hostOf(name), marks[index]!));
  console.log(`publish: ${seen[0]?.join(" → ")}; freeze: ${seen[1]?.join(" → ")}`);
  expect(seen).toEqual([[ADDRESSES[1], ADDRESSES.join(" "), ADDRESSES[1]], [ADDRESSES[1]]]);
  for (const name of NAMES) expect(await scene.events(name)).toContain("Warning NoContact");
});

test("the agent killed in silence: what it published stays, and silence goes on at once", async () => {
  await breakFirst();
  await scene.world.edge.halt();
  await forEach((name) => scene.untilCondition(name, "EdgeReachable", "False NoContact"));
  await scene.untilPublished(hostOf("publish"), ADDRESSES);
  const marks = NAMES.map((name) => scene.published.mark(hostOf(name)));
  await replica().process.stop("SIGKILL");
  await replica().process.start();
  await until("it to lead again", () => replica().isLeader());
  // A person's change shows that it works: an address that is taken out is out, also in silence.
  await scene.world.apply(scene.record("publish", { rootHost: hostOf("publish"), addresses: [ADDRESSES[0]] }));
  await scene.untilPublished(hostOf("publish"), [ADDRESSES[0]]);
  await forEach((name) => scene.untilCondition(name, "EdgeReachable", "False NoContact"));
  const seen = NAMES.map((name, index) => scene.published.since(hostOf(name), marks[index]!));
  expect(seen).toEqual([[ADDRESSES.join(" "), ADDRESSES[0]], [ADDRESSES[1]]]);
  await scene.world.edge.start();
  await forEach((name) => scene.untilCondition(name, "EdgeReachable", "True Contact"));
  scene.gateways[0]!.status = 200;
  await scene.untilPublished(hostOf("freeze"), ADDRESSES);
});
