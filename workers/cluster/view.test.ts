import { afterEach, describe, expect, it, vi } from "vitest";
import { recordsView } from "../../shared/model/messages/records-view.ts";
import { recordOf, signed, statusOf, type World, withCluster } from "../../test/support/cluster.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const TARGET = "/v1/clusters/here/records";

async function viewOf({ cluster, secret }: World) {
  const result = await cluster.view(signed(secret, "view_1", TARGET));
  if (!result.ok) throw new Error(result.problem.title);
  return recordsView.parse(result.view);
}
const changesIn = ({ state }: World) =>
  state.storage.sql.exec<{ changes: number }>("SELECT total_changes() AS changes").one().changes;

describe("the view of a cluster's records", () => {
  it("joins what the coordinators see now, under the number of the newest delivery, and writes nothing", async () => {
    await withCluster("viewed", { PARTITIONS: "2" }, async (world) => {
      await world.push([recordOf("a"), recordOf("b")]);
      await world.decide(1, [statusOf("b.example.com", ["203.0.113.10"])], 0);
      await world.decide(1, [statusOf("a.example.com", ["203.0.113.10"])], 1);
      const before = changesIn(world);
      const described = await world.cluster.describe();
      const view = await viewOf(world);
      expect(view.records.map(({ rootHost }) => rootHost)).toEqual(["a.example.com", "b.example.com"]);
      expect(`${view.number.epoch}.${view.number.n}`).toBe(described?.decided);
      const [first] = world.coordinators;
      if (first?.decisions) first.decisions.records = [statusOf("b.example.com", ["203.0.113.11"])];
      expect((await viewOf(world)).records[1]?.endpoints[0]?.targets).toEqual(["203.0.113.11"]);
      expect(changesIn(world)).toBe(before);
      expect(await world.cluster.describe()).toEqual(described);
    });
  });

  it("lacks the records of a coordinator that does not answer, and no others", async () => {
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
    await withCluster("half-viewed", { PARTITIONS: "2" }, async (world) => {
      await world.decide(1, [statusOf("b.example.com", ["203.0.113.10"])], 0);
      await world.decide(1, [statusOf("a.example.com", ["203.0.113.10"])], 1);
      for (const coordinator of world.coordinators.slice(0, 1)) coordinator.mode = "down";
      expect((await viewOf(world)).records.map(({ rootHost }) => rootHost)).toEqual(["a.example.com"]);
      expect(warned).toHaveBeenCalled();
    });
  });

  it("is for whoever signs with the cluster's secret, for this very target", async () => {
    await withCluster("view-signed", {}, async (world) => {
      const { cluster, secret } = world;
      const kindOf = async (request: Parameters<typeof cluster.view>[0]) => {
        const result = await cluster.view(request);
        return result.ok ? "no problem" : result.problem.type.split("/").at(-1);
      };
      expect(await kindOf({ ...signed(secret, "a", TARGET), body: `${TARGET}?x` })).toBe("SignatureInvalid");
      expect(await kindOf({ ...signed(secret, "a", TARGET), webhookSignature: undefined })).toBe("SignatureMissing");
      expect(await kindOf(signed(secret, "a", TARGET, Date.now() - 360_000))).toBe("TimestampTooOld");
      await cluster.remove();
      expect(await kindOf(signed(secret, "a", TARGET))).toBe("ClusterUnknown");
    });
  });
});
