import { beforeEach, describe, expect, it } from "vitest";
import { LEAVES, source, startController } from "../../test/support/agent/core.ts";
import { delivered, delivery } from "../../test/support/agent/delivered.ts";

const [one, two] = LEAVES;
const number = { epoch: 1, n: 4 };
const decided = () => delivered("x.test", [one], { unhealthy: [two] });

/** The same decision as the edge sees it later: checked again, and failed more often. */
function later(change: (probe: ReturnType<typeof decided>["probes"][number]) => object = () => ({})) {
  const record = decided();
  const region = (regions: (typeof record.probes)[number]["regions"]) =>
    regions.map((each) => ({ ...each, checkedAt: 99_000, colo: "AMS", counts: { ...each.counts, failures: 7 } }));
  const probes = record.probes.map((probe) => ({
    ...probe,
    consecutiveFailures: probe.consecutiveFailures + 4,
    regions: region(probe.regions),
    ...change(probe),
  }));
  return { ...record, endpoints: [], leaves: [], probes };
}
/** The same as it was seen before the delivery. */
function earlier() {
  const record = later();
  const regions = (given: (typeof record.probes)[number]["regions"]) => given.map((one) => ({ ...one, checkedAt: 0 }));
  return { ...record, probes: record.probes.map((probe) => ({ ...probe, regions: regions(probe.regions) })) };
}
const view = (records: unknown[], more: object = {}) => ({ version: 1, cluster: "here", number, records, ...more });

let at: ReturnType<typeof startController>;
beforeEach(async () => {
  at = startController();
  await at.core.takeSource(source({ name: "x" }));
  await at.core.takeDelivery(delivery(number, [decided()]));
});
const seen = () => {
  const { probes = [] } = at.world.stored.hosts["x.test"]?.delivered ?? {};
  return probes.map(({ consecutiveFailures, regions }) => [
    consecutiveFailures,
    regions[0]?.checkedAt,
    regions[0]?.colo,
  ]);
};

describe("a view", () => {
  it("brings check times and counts, and changes nothing else", async () => {
    const { serial, records } = at.world.stored;
    const { log, snapshots } = at.world;
    const lines = log.length;
    expect(await at.core.takeView(view([later()]))).toBe(true);
    expect(seen()).toEqual([
      [4, 99_000, "AMS"],
      [7, 99_000, "AMS"],
    ]);
    expect(at.dns()).toEqual([one]);
    expect(at.world.stored).toMatchObject({ serial, number, hosts: { "x.test": { delivered: { leaves: [{}, {}] } } } });
    const { conditions, probes } = at.world.stored.records["shop/x"]!.status;
    expect(conditions).toEqual(records["shop/x"]!.status.conditions);
    expect(probes.map(({ consecutiveFailures }) => consecutiveFailures)).toEqual([4, 7]);
    expect([at.world.log.length, at.world.snapshots]).toEqual([lines, snapshots]);
  });

  it("stays, where a later delivery tells of a probe what was told before", async () => {
    await at.core.takeView(view([later()]));
    await at.core.takeDelivery(delivery({ epoch: 1, n: 5 }, [decided()]));
    expect(at.world.stored.number).toEqual({ epoch: 1, n: 5 });
    expect(seen()).toEqual([
      [4, 99_000, "AMS"],
      [7, 99_000, "AMS"],
    ]);
  });

  it.each([
    ["a later check", { checkedAt: 99_001 }],
    ["a region that is silent now", { freshness: "Silent" }],
    ["another word", { counts: { failures: 0, successes: 9, says: "Other" } }],
  ])("gives way to a delivery with %s", async (_, change) => {
    await at.core.takeView(view([later()]));
    const record = decided();
    const probes = record.probes.map((probe) => ({
      ...probe,
      regions: probe.regions.map((region) => ({ ...region, ...change })),
    }));
    await at.core.takeDelivery(delivery({ epoch: 1, n: 5 }, [{ ...record, probes }]));
    expect(seen().map(([failures]) => failures)).toEqual(probes.map(({ consecutiveFailures }) => consecutiveFailures));
  });

  it.each([
    ["of another edge", view([later()], { number: { epoch: 2, n: 4 } })],
    ["of earlier checks", view([earlier()], { number: { epoch: 1, n: 5 } })],
    ["of another cluster", view([later()], { cluster: "there" })],
    ["of other verdicts", view([later(() => ({ verdict: "Unknown" }))])],
    ["of verdicts since another time", view([later(({ since }) => ({ since: since + 1 }))])],
    ["of another cluster's probes", view([later(() => ({ cluster: "there" }))])],
    ["of probes that cannot be read", view([later(() => ({ since: "yesterday" }))])],
    ["of another version", view([later()], { version: 2 })],
    ["of nothing", null],
    ["that is garbage", view([null, 1, { probes: 1 }, { probes: [null] }])],
  ])("%s brings nothing", async (_, json) => {
    const before = at.world.stored;
    await at.core.takeView(json);
    expect(at.world.stored).toEqual(before);
  });

  it.each([3, 5])(
    "of the %ith delivery brings what was seen since of a verdict that came with the fourth",
    async (n) => {
      await at.core.takeView(view([later()], { number: { epoch: 1, n } }));
      expect(seen().map(([, checkedAt]) => checkedAt)).toEqual([99_000, 99_000]);
      expect(at.world.stored.number).toEqual(number);
    },
  );

  it("may lack records and hold ones that nobody here has", async () => {
    await at.core.takeView(view([{ ...later(), rootHost: "victim.test" }, later()]));
    expect(at.dns("victim.test")).toBe("Refused");
    expect(seen()[0]).toEqual([4, 99_000, "AMS"]);
  });
});
