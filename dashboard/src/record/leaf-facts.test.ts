import { expect, test } from "vitest";
import type { ClusterHealth } from "../../../shared/model/overview.ts";
import type { RecordDetail } from "../../../shared/model/record-detail.ts";
import type { LeafDecision, LeafReason, ProbeStatus } from "../../../shared/model/status.ts";
import { adviceOf, certificateEnd, countTroubled, headline, leafFacts, unreachedOf, worstLeaf } from "./leaf-facts.ts";

const leaf = (address: string, published: boolean, reason: LeafReason): LeafDecision => ({
  leaf: address,
  published,
  reason,
});
const record = (...leaves: LeafDecision[]) => ({ leaves, probes: [], advisories: [] }) as unknown as RecordDetail;
const up = (address: string) => leaf(address, true, "Healthy");
const out = (address: string) => leaf(address, false, "UnhealthyWithheld");

test.each([
  [[], "Nothing was decided yet."],
  [[up("192.0.2.1")], "Its one address is in DNS."],
  [[up("192.0.2.1"), up("192.0.2.2")], "All 2 addresses are in DNS."],
  [[up("192.0.2.1"), out("192.0.2.2")], "192.0.2.2 is out of DNS. 1 other is in DNS."],
  [[out("a"), out("b"), out("c"), out("d"), up("e")], "a, b, c and 1 more are out of DNS. 1 other is in DNS."],
  [
    [out("a"), leaf("b", true, "KeptForMinPublished"), up("c"), up("d")],
    "a is out of DNS; b stays in DNS though unhealthy. 2 others are in DNS.",
  ],
  [
    [leaf("a", true, "KeptLast"), leaf("b", true, "KeptLast"), out("c")],
    "No healthy address is left: a and b stay in DNS as the last resort.",
  ],
])("%j: %s", (leaves, sentence) => {
  expect(headline(record(...leaves))).toBe(sentence);
});

test("a leaf's place and tone follow its decision", () => {
  const all = record(up("a"), out("b"), leaf("c", true, "KeptForFamily"), leaf("d", false, "PendingWithheld"));
  const seen = ["a", "b", "c", "d", "e"].map((one) => leafFacts(all, one)).map(({ place, tone }) => `${place} ${tone}`);
  expect(seen).toEqual(["in ok", "out bad", "kept warn", "out quiet", "out quiet"]);
});

test("leaves in trouble are those that are out of DNS or kept for want of better", () => {
  expect(countTroubled(record(up("a"), out("b"), leaf("c", true, "KeptForFamily"), leaf("d", false, "Unknown")))).toBe(
    2,
  );
});

test("clusters that are not reached are named where a share of the record is theirs", () => {
  const shared = { ...record(up("a")), shares: [{ cluster: "east" }, { cluster: "west" }] } as unknown as RecordDetail;
  const health = (cluster: string, reachable: boolean) => ({ cluster, reachable }) as ClusterHealth;
  const all = [health("east", true), health("north", false), health("west", false)];
  expect(unreachedOf(shared, all)).toEqual(["west"]);
});

test("the leaf to look at first is one that is out of DNS, then one that is kept", () => {
  expect(worstLeaf(record(up("a"), leaf("b", true, "KeptForFamily"), out("c")))).toBe("c");
  expect(worstLeaf(record(up("a"), leaf("b", true, "KeptForFamily")))).toBe("b");
  expect(worstLeaf(record(up("a"), leaf("b", false, "PendingWithheld")))).toBeUndefined();
});

const flapping = (region: string) => ({ type: "Flapping", message: `some from ${region}` });
const advised = {
  ...record(up("a"), up("b")),
  advisories: [{ type: "KeptLast", message: "all fail" }],
  probes: [
    { leaf: "a", regions: [], advisories: [flapping("weur"), flapping("enam"), flapping("weur")] },
    { leaf: "b", regions: [], advisories: [flapping("weur"), { type: "Dissent", message: "enam disagrees" }] },
  ],
} as unknown as RecordDetail;

test("a leaf in DNS that a region speaks against is warned of", () => {
  const regions = [{ region: "weur", counts: { says: "Unhealthy" } }];
  const all = { ...record(up("a")), probes: [{ leaf: "a", verdict: "Healthy", regions, advisories: [] }] };
  expect(leafFacts(all as unknown as RecordDetail, "a")).toMatchObject({ place: "in", tone: "warn" });
});

test("the weightiest advice comes first, that of a leaf together", () => {
  expect(adviceOf(advised)).toEqual([
    { type: "KeptLast", leaf: undefined, messages: ["all fail"] },
    { type: "Dissent", leaf: "b", messages: ["enam disagrees"] },
    { type: "Flapping", leaf: "a", messages: ["some from weur", "some from enam"] },
    { type: "Flapping", leaf: "b", messages: ["some from weur"] },
  ]);
});

test("the headline names the kinds of advice where nothing is out of DNS", () => {
  expect(headline(advised)).toBe(
    "All 2 addresses are in DNS. The last ones stay; regions disagree; fails now and then.",
  );
});

const NOW = Date.UTC(2026, 10, 30, 12);
const DAY = 86_400_000;

function probe(...ends: { expiresAt?: number; notAfter?: number }[]): ProbeStatus {
  const regions = ends.map((end) => ({ observation: { tls: { version: "TLSv1.3", cipherSuite: "x", ...end } } }));
  return { regions } as unknown as ProbeStatus;
}

test("the earliest end of all regions counts, of the chain and of the certificate", () => {
  const seen = certificateEnd([probe({ notAfter: NOW + 90 * DAY, expiresAt: NOW + 40 * DAY }, {})], NOW);
  expect(seen).toEqual({ endsAt: NOW + 40 * DAY, daysLeft: 40, level: "ok", words: "ends in 40 days" });
});

test.each([
  [14 * DAY, "ok", "ends in 14 days"],
  [14 * DAY - 1, "soon", "ends in 13 days"],
  [DAY, "soon", "ends in 1 day"],
  [5_000, "soon", "ends within a day"],
  [0, "ended", "ended today"],
  [-3 * DAY, "ended", "ended 3 days ago"],
])("%i ms from now: %s, %s", (leftMs, level, words) => {
  expect(certificateEnd([probe({ notAfter: NOW + leftMs })], NOW)).toMatchObject({ level, words });
});

test("nothing where no certificate was seen", () => {
  expect(certificateEnd([probe({})], NOW)).toBeUndefined();
  expect(certificateEnd([], NOW)).toBeUndefined();
});
