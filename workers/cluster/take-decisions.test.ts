import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MessageNumber } from "../../shared/model/number.ts";
import type { RecordStatus } from "../../shared/model/status.ts";
import { statusOf, type World, withCluster } from "../../test/support/cluster.ts";
import { propertyRuns } from "../../test/support/property-runs.ts";
import { DecisionTable, type Difference } from "./decisions.ts";
import { ClusterStore } from "./store.ts";

const A = statusOf("a.example.com", ["203.0.113.1"]);
const B = statusOf("b.example.com", ["203.0.113.2"]);
const C = statusOf("c.example.com", ["203.0.113.3"]);
const OTHER_B = statusOf("b.example.com", ["203.0.113.9"]);
const EPOCH = 7;
const numbered = (n: number, epoch = EPOCH): MessageNumber => ({ epoch, n });

type Change = { since: MessageNumber; number: MessageNumber; records?: RecordStatus[]; removed?: string[] };

const changeIt = ({ cluster }: World, { records = [], removed = [], ...numbers }: Change, partition = 0) =>
  cluster.decidedInPart({ version: 1, cluster: "any", partition, ...numbers, records, removed });

const heldBy = ({ state }: World) => {
  const store = ClusterStore.open(state.storage, 1);
  return { number: store?.partitions.get(0)?.decisions, records: store?.decisions.all() };
};
const outboxOf = ({ state }: World) => ClusterStore.open(state.storage, 1)?.outbox.get();

describe("changes of decisions", () => {
  it("make the named records what they say, take some away, and leave the others as they are", async () => {
    await withCluster("in-part", {}, async (world) => {
      expect(await world.decide(1, [A, B, C])).toBe("Taken");
      const change = { since: numbered(1), number: numbered(4), records: [OTHER_B], removed: ["c.example.com"] };
      expect(await changeIt(world, change)).toBe("Taken");
      expect(heldBy(world)).toEqual({ number: numbered(4), records: [A, OTHER_B] });
      expect(outboxOf(world)).toMatchObject({ n: 2, unconfirmed: { first: 1, last: 2 } });
    });
  });

  it("that change nothing count as taken, and no delivery follows", async () => {
    await withCluster("in-part-nothing", {}, async (world) => {
      await world.decide(1, [A, B]);
      const change = { since: numbered(1), number: numbered(2), records: [B], removed: ["never-had.example.com"] };
      expect(await changeIt(world, change)).toBe("Taken");
      expect(heldBy(world)).toEqual({ number: numbered(2), records: [A, B] });
      expect(outboxOf(world)).toMatchObject({ n: 1 });
    });
  });

  it("are taken over decisions that came after those they stand on", async () => {
    await withCluster("in-part-later", {}, async (world) => {
      await world.decide(1, [A]);
      await world.decide(3, [A, B]);
      expect(await changeIt(world, { since: numbered(1), number: numbered(4), records: [B, C] })).toBe("Taken");
      expect(heldBy(world).records).toEqual([A, B, C]);
    });
  });

  it.each([
    ["older than what they stand on", numbered(3), numbered(4)],
    ["of an earlier epoch", numbered(1, EPOCH + 1), numbered(4, EPOCH + 1)],
  ])("are not taken over decisions %s: all is wanted", async (what, since, number) => {
    await withCluster(`in-part-${what}`, {}, async (world) => {
      await world.decide(2, [A, B]);
      expect(await changeIt(world, { since, number, records: [OTHER_B] })).toBe("Lacking");
      expect(heldBy(world)).toEqual({ number: numbered(2), records: [A, B] });
    });
  });

  it("that are not newer change nothing, and are said to be there", async () => {
    await withCluster("in-part-old", {}, async (world) => {
      await world.decide(5, [A, B]);
      for (const n of [4, 5]) {
        const change = { since: numbered(1), number: numbered(n), records: [OTHER_B] };
        expect(await changeIt(world, change)).toBe("Held");
      }
      expect(await changeIt(world, { since: numbered(1, 6), number: numbered(9, 6), records: [OTHER_B] })).toBe("Held");
      expect(await world.decide(5, [OTHER_B])).toBe("Held");
      expect(heldBy(world)).toEqual({ number: numbered(5), records: [A, B] });
    });
  });

  it("are nothing to a cluster that has no decisions, of a partition that it does not know, or that was removed", async () => {
    await withCluster("in-part-none", {}, async (world) => {
      const change = { since: numbered(1), number: numbered(2), records: [A] };
      expect(await changeIt(world, change)).toBe("Lacking");
      expect(await changeIt(world, change, 9)).toBe("Lacking");
      await world.decide(1, [A]);
      await world.cluster.remove();
      expect(await changeIt(world, change)).toBe("Lacking");
      expect(await world.decide(3, [A])).toBe("Lacking");
    });
  });
});

const HOSTS = ["a", "b", "c", "d"].map((name) => `${name}.example.com`);
/** Beyond what one row holds. */
const LARGE = "x".repeat(450_000);

const someRecords = fc
  .array(fc.option(fc.constantFrom("203.0.113.1", "203.0.113.2", LARGE)), { minLength: 4, maxLength: 4 })
  .map((targets) =>
    targets.flatMap((target, index) => (target === null ? [] : [statusOf(HOSTS[index] ?? "", [target])])),
  );

describe("the table of decisions", () => {
  it("comes to the same by changes as by all records, whatever was held", async () => {
    await withCluster("in-part-table", {}, async ({ state: { storage } }) => {
      const table = new DecisionTable(storage.sql);
      const from = (before: RecordStatus[], take: () => Difference) => {
        table.replace({ partition: 0, records: before });
        const { changed, removed, isDecision } = take();
        return { isDecision, changed: changed.sort(), removed: removed.sort(), all: table.all() };
      };
      table.replace({ partition: 1, records: [A, B] });
      fc.assert(
        fc.property(someRecords, someRecords, (before, after) => {
          const present = new Set(after.map(({ rootHost }) => rootHost));
          const removed = HOSTS.filter((rootHost) => !present.has(rootHost));
          const held = new Map(before.map((record) => [record.rootHost, JSON.stringify(record)]));
          const records = after.filter((record) => held.get(record.rootHost) !== JSON.stringify(record));
          const whole = from(before, () => table.replace({ partition: 0, records: after }));
          expect(from(before, () => table.change({ partition: 0, records, removed }))).toEqual(whole);
        }),
        { numRuns: propertyRuns(40) },
      );
    });
  });
});
