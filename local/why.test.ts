import { expect, test } from "vitest";
import type { LeafReason, ProbeStatus, RecordStatus } from "../shared/model/status.ts";
import { why } from "./narrator.ts";

const LEAF = "127.0.0.11";
const NOW_MS = Date.UTC(2026, 10, 30, 12);
const EXPIRED = "The certificate expired at 2026-11-29T00:00:00Z.";

function recordOf(reason: LeafReason, unhealthy: number): RecordStatus {
  const regions = (["enam", "weur", "apac"] as const).map((region, index) => ({
    region,
    freshness: "Fresh" as const,
    counts:
      index < unhealthy
        ? { failures: 3, successes: 0, says: "Unhealthy" }
        : { failures: 0, successes: 9, says: "Healthy" },
    observation: {
      ...(index < unhealthy ? { reason: "CertificateExpired", message: EXPIRED } : { reason: "Ok" }),
      at: NOW_MS,
      phases: { totalMs: 1 },
    },
  }));
  const counted = { consecutiveFailures: 3, failureThreshold: 2, successThreshold: 1, quorum: 2 };
  const probe = { leaf: LEAF, cluster: "local", verdict: "Unhealthy", since: NOW_MS, ...counted, regions };
  return {
    leaves: [{ leaf: LEAF, published: false, reason }],
    probes: [probe as unknown as ProbeStatus],
  } as unknown as RecordStatus;
}

test("what the regions say, and what is wrong with the certificate, once", () => {
  expect(why(recordOf("UnhealthyWithheld", 2), LEAF, NOW_MS)).toMatch(
    /^2 of 3 regions \(enam, weur\) say certificate expired since \d\d:\d\d:\d\d; 3 failures, threshold 2\. The certificate expired at 2026-11-29T00:00:00Z\.$/,
  );
});

test("a leaf that the record no longer has", () => {
  expect(why(recordOf("Healthy", 0), "127.0.0.99", NOW_MS)).toBe("no longer in the record");
});

test("a leaf that was never proven, with what stands in its way", () => {
  const record = recordOf("PendingWithheld", 0);
  for (const region of record.probes[0]?.regions ?? []) {
    region.counts = { failures: 1, successes: 0, says: "Pending" };
    region.observation = { reason: "NoAddress", at: NOW_MS, phases: { totalMs: 1 } };
  }
  expect(why(record, LEAF, NOW_MS)).toContain("3 of 3 regions (enam, weur, apac) say no address");
});
