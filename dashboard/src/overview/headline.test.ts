import { describe, expect, it } from "vitest";
import type { LeafSummary, Overview, RecordState, RecordSummary } from "../../../shared/model/overview.ts";
import { headlineOf } from "./headline.ts";

const A = "198.51.100.10";
const B = "198.51.100.20";
const healthy = (leaf: string): LeafSummary => ({
  leaf,
  published: true,
  reason: "Healthy",
  verdict: "Healthy",
  since: 1,
});
const bad = (leaf: string, since: number, reason: LeafSummary["reason"] = "UnhealthyWithheld"): LeafSummary => ({
  leaf,
  published: reason !== "UnhealthyWithheld",
  reason,
  verdict: "Unhealthy",
  since,
  against: { regions: ["enam", "weur"], of: 3, saw: ["connect timeout"] },
});

const pending = (leaf: string): LeafSummary => ({ leaf, published: true, reason: "PendingWithheld" });

const record = (rootHost: string, state: RecordState, leaves: LeafSummary[]): RecordSummary => ({
  rootHost,
  state,
  clusters: [],
  leaves,
  regions: [],
  decidedAt: 1,
});

const headline = (...records: RecordSummary[]) =>
  headlineOf({ at: 1, partitions: 1, role: "viewer", addressesHidden: false, records, regions: [], clusters: [] });

describe("the headline", () => {
  it.each<[string, RecordSummary[]]>([
    ["Everything that should be in DNS is in DNS", [record("a", "Healthy", [healthy(A)])]],
    [`${B} of a is out of DNS`, [record("a", "Degraded", [healthy(A), bad(B, 5)])]],
    [
      "2 addresses of 2 records are out of DNS",
      [record("a", "Degraded", [healthy(A), bad(B, 5)]), record("b", "Degraded", [healthy(A), bad(B, 5)])],
    ],
    [
      `${B} of a is unhealthy, and kept in DNS for want of better`,
      [record("a", "Degraded", [healthy(A), bad(B, 5, "KeptForMinPublished")])],
    ],
    ["Nothing healthy is left of a", [record("a", "Critical", [bad(A, 4, "KeptLast"), bad(B, 5)])]],
    [
      `Nothing healthy is left of a; ${B} of b is out of DNS`,
      [record("a", "Critical", [bad(A, 4, "KeptLast"), bad(B, 5)]), record("b", "Degraded", [healthy(A), bad(B, 5)])],
    ],
    ["Address 2 of a is out of DNS", [record("a", "Degraded", [healthy("address 1"), bad("address 2", 5)])]],
    ["Everything is in DNS; a needs a look", [record("a", "Warning", [healthy(A)])]],
    [
      "Nothing was withdrawn; 2 records need a look",
      [record("a", "Warning", [healthy(A)]), record("b", "Warning", [{ ...pending(B), published: false }])],
    ],
    [
      "Nothing is known to be unhealthy; 2 records are not judged yet",
      [record("a", "Pending", []), record("b", "Unknown", [])],
    ],
  ])("%s", (title, records) => {
    expect(headline(...records).title).toBe(title);
  });

  it("does not call well what gets through to nobody", () => {
    const clusters = [{ cluster: "east", reachable: false }] as Overview["clusters"];
    const records = [record("a", "Healthy", [healthy(A)])];
    const whole = {
      at: 1,
      partitions: 1,
      role: "viewer" as const,
      addressesHidden: false,
      records,
      regions: [],
      clusters,
    };
    expect(headlineOf(whole)).toMatchObject({ tone: "watch", title: "No decision gets through to east" });
  });

  it("tells why, as seen from where and since when, of each address out of DNS", () => {
    const [worst] = headline(record("a", "Degraded", [healthy(A), bad(B, 5)])).worst;
    expect(worst?.story).toEqual({
      leaves: [B],
      place: "out",
      why: "connect timeout",
      who: "2 of 3 regions (enam, weur)",
      since: 5,
    });
  });

  it("begins with records that have nothing left, then the newest, and counts what is beyond the third", () => {
    const { worst, more } = headline(
      record("old", "Degraded", [bad(A, 1)]),
      record("new", "Degraded", [bad(A, 9)]),
      record("kept", "Critical", [bad(A, 2, "KeptLast"), bad(B, 3, "KeptLast")]),
      record("middle", "Degraded", [bad(A, 5)]),
    );
    expect(worst.map(({ record: { rootHost } }) => rootHost)).toEqual(["kept", "new", "middle"]);
    expect(worst[0]?.story).toMatchObject({ leaves: [A, B], why: "connect timeout; nothing better is left", since: 2 });
    expect(more).toBe(1);
  });

  it("sums up what there is", () => {
    const regions = [{ region: "weur", shards: 1 }] as Overview["regions"];
    const records = [record("a", "Degraded", [healthy(A), bad(B, 5)])];
    const whole = {
      at: 1,
      partitions: 1,
      role: "viewer" as const,
      addressesHidden: false,
      records,
      regions,
      clusters: [],
    };
    expect(headlineOf(whole).sums).toEqual(["1 record", "1 of 2 addresses in DNS", "seen from 1 region"]);
  });
});
