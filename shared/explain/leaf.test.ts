import { describe, expect, it } from "vitest";
import {
  awaited,
  failing,
  fine,
  LEAF,
  NOW,
  probe,
  record,
  recovering,
  SINCE,
  silent,
  unheard,
} from "../../test/support/explained.ts";
import type { LeafReason, ProbeStatus } from "../model/status.ts";
import { clockIn } from "./clock.ts";
import { explainLeaf } from "./leaf.ts";

const clock = clockIn(NOW, "UTC");
const healthy = { verdict: "Healthy", consecutiveFailures: 0 } as const;
const pending = { verdict: "Pending", consecutiveFailures: 0 } as const;
const unknown = { verdict: "Unknown", consecutiveFailures: 0 } as const;
const twoTimeOut = [failing("enam", "ConnectTimeout"), failing("weur", "ConnectTimeout"), fine("apac")];
const allFine = [fine("enam"), fine("weur"), fine("apac")];
const allUnheard = [unheard("enam"), unheard("weur"), unheard("apac")];
const TWO_SAY = "2 of 3 regions (enam, weur) say connect timeout since 12:04:31; 6 failures, threshold 5";
const resting = { type: "Probed", status: "False", reason: "SecretMissing", message: "Secret shop/token is missing" };

describe("each reason, in its plainest case", () => {
  it("is its own word where only a newer edge knows it", () => {
    const unheardOf = record("KeptForLuck" as LeafReason, [probe(twoTimeOut)]);
    expect(explainLeaf(unheardOf, LEAF, clock)).toBe(`${LEAF} published: KeptForLuck; ${TWO_SAY}`);
  });

  it.each<[LeafReason, ProbeStatus[], string]>([
    ["Healthy", [probe(allFine, healthy)], "published: healthy since 12:04:31"],
    [
      "Unknown",
      [probe(allUnheard.map(silent), unknown)],
      "published: no region has had word of it since 12:04:31, and silence is no failure",
    ],
    [
      "PendingPublished",
      [probe(allUnheard, pending)],
      "published: not judged yet, and it was published before; 0 of 3 regions found it in order 2 times in a row",
    ],
    [
      "PendingWithheld",
      [probe([fine("enam"), unheard("weur")], { ...pending, successThreshold: 1 })],
      "withheld: not proven healthy yet; 1 of 2 regions found it in order 1 time in a row",
    ],
    ["UnhealthyWithheld", [probe(twoTimeOut)], `withheld: ${TWO_SAY}`],
    ["KeptForMinPublished", [probe(twoTimeOut)], `published: unhealthy, but minPublished needs it; ${TWO_SAY}`],
    [
      "KeptLast",
      [probe(twoTimeOut)],
      `published: unhealthy, but nothing better is left, and the last ones stay; ${TWO_SAY}`,
    ],
    ["KeptForFamily", [probe(twoTimeOut)], `published: unhealthy, but the last of its address family; ${TWO_SAY}`],
    ["NotProbed", [], "published: it is not probed"],
  ])("%s", (reason, probes, sentence) => {
    expect(explainLeaf(record(reason, probes), LEAF, clock)).toBe(`${LEAF} ${sentence}`);
  });
});

describe("what regions say against an address that is withheld", () => {
  it.each<[string, ProbeStatus, string]>([
    [
      "several reasons: each with its regions",
      probe([
        failing("weur", "UnexpectedStatus", 6, { httpStatus: 503 }),
        failing("enam", "ConnectTimeout"),
        fine("apac"),
      ]),
      "2 of 3 regions say connect timeout (enam), unexpected status 503 (weur) since 12:04:31; 6 failures, threshold 5",
    ],
    [
      "one status for all",
      probe([failing("weur", "UnexpectedStatus", 7, { httpStatus: 500 })], { consecutiveFailures: 7, quorum: 1 }),
      "1 of 1 region (weur) says unexpected status 500 since 12:04:31; 7 failures, threshold 5",
    ],
    [
      "two statuses are two reasons",
      probe([
        failing("weur", "UnexpectedStatus", 6, { httpStatus: 500 }),
        failing("enam", "UnexpectedStatus", 6, { httpStatus: 503 }),
      ]),
      "2 of 2 regions say unexpected status 500 (weur), unexpected status 503 (enam) since 12:04:31; 6 failures, threshold 5",
    ],
    [
      "a threshold of none",
      probe([failing("weur", "ConnectFailed", 1)], { consecutiveFailures: 1, failureThreshold: 0 }),
      "1 of 1 region (weur) says connect failed since 12:04:31; 1 failure, threshold 0",
    ],
    [
      "one recovers, one still fails",
      probe([failing("enam", "ConnectTimeout"), recovering("weur"), fine("apac")], { consecutiveFailures: 0 }),
      "2 of 3 regions say connect timeout (enam), recovering (weur) since 12:04:31; 6 failures, threshold 5",
    ],
    [
      "all recover: what is still needed, and no failure that is over",
      probe([recovering("enam"), recovering("weur")], { consecutiveFailures: 0 }),
      "2 of 2 regions (enam, weur) say recovering since 12:04:31; 1 of 2 successes needed",
    ],
    [
      "none says anything against it, and none has found it in order often enough",
      probe([unheard("enam"), awaited(unheard("weur"))], { consecutiveFailures: 0 }),
      "unhealthy since 12:04:31, and not yet found in order 2 times in a row",
    ],
    [
      "a silent region stands by its last word, and is named",
      probe([failing("enam", "ConnectTimeout"), silent(failing("weur", "ConnectTimeout")), fine("apac")], {
        consecutiveFailures: 0,
      }),
      `${TWO_SAY}; weur silent`,
    ],
    [
      "trouble of the prober's own is no reason against the address",
      probe([failing("enam", "ConnectTimeout"), failing("weur", "ResolverFailed"), fine("apac")]),
      "2 of 3 regions say connect timeout (enam), unhealthy (weur) since 12:04:31; 6 failures, threshold 5",
    ],
    [
      "observations left out",
      probe([{ region: "enam", freshness: "Fresh", counts: { failures: 6, successes: 0, says: "Unhealthy" } }]),
      "1 of 1 region (enam) says unhealthy since 12:04:31; 6 failures, threshold 5",
    ],
    [
      "a probe that rests",
      probe(twoTimeOut.map(silent), { resting: resting as NonNullable<ProbeStatus["resting"]> }),
      "unhealthy; the probe rests: Secret shop/token is missing",
    ],
  ])("%s", (_, one, sentence) => {
    expect(explainLeaf(record("UnhealthyWithheld", [one]), LEAF, clock)).toBe(`${LEAF} withheld: ${sentence}`);
  });
});

describe("an address that stays published", () => {
  it("while one region dissents: its count, and how many it would take", () => {
    const dissent = probe([failing("weur", "ConnectTimeout", 9), fine("enam"), fine("apac")], {
      ...healthy,
      consecutiveFailures: 0,
    });
    expect(explainLeaf(record("Healthy", [dissent]), LEAF, clock)).toBe(
      `${LEAF} published: healthy since 12:04:31; but 1 of 3 regions (weur) says connect timeout; 9 failures, threshold 5; 2 regions needed to withhold it`,
    );
  });

  it("the dissenter's count, not that of the quorum, which others bring about", () => {
    const dissent = probe([failing("weur", "ConnectTimeout", 9), fine("enam"), fine("apac")], {
      ...healthy,
      consecutiveFailures: 1,
    });
    expect(explainLeaf(record("Healthy", [dissent]), LEAF, clock)).toContain("; 9 failures, threshold 5;");
  });

  it("while its probe rests", () => {
    const one = probe(allUnheard, { ...unknown, resting: { ...resting, status: "False" } });
    expect(explainLeaf(record("Unknown", [one]), LEAF, clock)).toBe(
      `${LEAF} published: no region has word of it, and silence is no failure; the probe rests: Secret shop/token is missing`,
    );
  });

  it("pending with a word against it already", () => {
    const one = probe([failing("weur", "ConnectFailed"), unheard("enam")], pending);
    expect(explainLeaf(record("PendingPublished", [one]), LEAF, clock)).toBe(
      `${LEAF} published: not judged yet, and it was published before; 0 of 2 regions found it in order 2 times in a row; 1 of 2 regions (weur) says connect failed; 6 failures, threshold 5`,
    );
  });
});

describe("an address that several clusters probe", () => {
  const west = (regions: ProbeStatus["regions"], more: Partial<ProbeStatus> = {}) =>
    probe(regions, { id: `west/shop/api/${LEAF}`, cluster: "west", ...more });

  it("is as good as its best: who calls it unhealthy decides nothing while another finds it healthy", () => {
    const probes = [probe(twoTimeOut), west(allFine, { ...healthy, since: SINCE + 1_000 })];
    expect(explainLeaf(record("Healthy", probes), LEAF, clock)).toBe(`${LEAF} published: healthy since 12:04:32`);
  });

  it("that say the same: once", () => {
    const probes = [probe(twoTimeOut), west(twoTimeOut)];
    expect(explainLeaf(record("UnhealthyWithheld", probes), LEAF, clock)).toBe(`${LEAF} withheld: ${TWO_SAY}`);
  });

  it("that differ: each by its name", () => {
    const probes = [probe(twoTimeOut), west([failing("weur", "BodyMismatch")], { since: SINCE + 1_000 })];
    expect(explainLeaf(record("UnhealthyWithheld", probes), LEAF, clock)).toBe(
      `${LEAF} withheld: east: ${TWO_SAY}; west: 1 of 1 region (weur) says body mismatch since 12:04:32; 6 failures, threshold 5`,
    );
  });

  it("and two records of one cluster: by the record's name too", () => {
    const other = probe([failing("weur", "BodyMismatch")], { record: "shop/other" });
    expect(explainLeaf(record("UnhealthyWithheld", [probe(twoTimeOut), other]), LEAF, clock)).toBe(
      `${LEAF} withheld: shop/api of east: ${TWO_SAY}; shop/other of east: 1 of 1 region (weur) says body mismatch since 12:04:31; 6 failures, threshold 5`,
    );
  });
});

it("an address that is not in the record", () => {
  expect(explainLeaf(record("Healthy", []), "192.0.2.1", clock)).toBe("192.0.2.1 is not in the record");
});

it("a decision that its probes are past: what they say now", () => {
  expect(explainLeaf(record("UnhealthyWithheld", [probe(allFine, healthy)]), LEAF, clock)).toBe(
    `${LEAF} withheld: healthy since 12:04:31`,
  );
});
