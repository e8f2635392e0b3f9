import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { advance, recordOf, stopClock, type World, withCluster } from "../../test/support/cluster.ts";

const MINUTE_MS = 60_000;

beforeEach(stopClock);
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const NAMES = ["a", "b", "c", "d", "e", "f", "g", "h"];
const heldBy = ({ coordinators }: World) =>
  coordinators.map(({ held }) => held?.shares.map(({ name }) => name).sort() ?? []);
const settingsCondition = async ({ cluster }: World) =>
  (await cluster.describe())?.conditions.find(({ type }) => type === "SettingsAccepted");

describe("PARTITIONS that is another than at install", () => {
  it.each([
    ["raised", "4", "8"],
    ["lowered", "4", "2"],
  ])("(%s) moves no record and loses none; it is told of, with what to set it back to", async (name, before, after) => {
    const error = vi.spyOn(console, "error").mockImplementation(() => {});
    await withCluster(`partitions-${name}`, { PARTITIONS: before }, async (world) => {
      await world.push(NAMES.map((one) => recordOf(one)));
      const held = heldBy(world);
      expect(await settingsCondition(world)).toBeUndefined();
      world.restart({ PARTITIONS: after });
      const more = [...NAMES, "i", "j", "k", "l"];
      advance(MINUTE_MS);
      expect(await world.push(more.map((one) => recordOf(one)))).toMatchObject({
        ok: true,
        receipt: { conditions: [{ type: "SettingsAccepted", status: "False" }] },
      });
      for (const [index, keys] of heldBy(world).entries())
        expect(keys).toEqual(expect.arrayContaining(held[index] ?? []));
      expect(heldBy(world).flat().sort()).toEqual(more);
      expect((await settingsCondition(world))?.message).toContain(`set PARTITIONS back to ${before}`);
      for (let minute = 0; minute < 3; minute += 1) {
        advance(MINUTE_MS);
        world.restart({ PARTITIONS: after });
        await world.cluster.alarm();
      }
      const events = world.coordinators.flatMap((coordinator) => coordinator.events);
      expect(events.map(({ type }) => type)).toEqual(["PartitionsChanged"]);
      expect(events[0]?.message).toContain(`set PARTITIONS back to ${before}`);
      expect(error).toHaveBeenCalled();
      world.restart();
      expect(await settingsCondition(world)).toBeUndefined();
    });
  });

  it("is not taken for a cluster that is registered after it: all agree on where a record is", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    await withCluster("partitions-later", { PARTITIONS: "4" }, async (world) => {
      await world.cluster.remove();
      for (const coordinator of world.coordinators) coordinator.partitionsAtInstall = 2;
      world.restart();
      const registered = await world.cluster.register({ cluster: "partitions-later", hosts: ["*.example.com"] });
      world.secret = registered.ok ? registered.secret : "";
      await world.push(NAMES.map((one) => recordOf(one)));
      expect(heldBy(world).slice(0, 2).flat().sort()).toEqual(NAMES);
      expect((await settingsCondition(world))?.message).toContain("set PARTITIONS back to 2");
    });
  });
});
