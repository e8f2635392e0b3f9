import { expect, test } from "vitest";
import type { LeafReason, ProbeStatus, RecordStatus } from "../shared/model/status.ts";
import { why } from "./why.ts";

type Says = "Pending" | "Healthy" | "Unhealthy";
const LEAF = "127.0.0.11";

function recordOf(reason: LeafReason, says: readonly Says[], httpStatus = 500): RecordStatus {
  const regions = says.map((word, index) => ({
    region: (["weur", "enam", "apac"] as const)[index] ?? "oc",
    freshness: "Fresh" as const,
    counts: { failures: word === "Unhealthy" ? 3 : 0, successes: 0, says: word },
    observation: {
      reason: word === "Unhealthy" ? ("UnexpectedStatus" as const) : ("Ok" as const),
      at: 0,
      phases: { totalMs: 1 },
      httpStatus: word === "Unhealthy" ? httpStatus : 200,
    },
  }));
  const probe = { leaf: LEAF, regions } as unknown as ProbeStatus;
  return { leaves: [{ leaf: LEAF, published: false, reason }], probes: [probe] } as unknown as RecordStatus;
}

test.each<[LeafReason, Says[], string]>([
  ["UnhealthyWithheld", ["Unhealthy", "Unhealthy", "Healthy"], "unhealthy, 2 of 3 regions: UnexpectedStatus 500"],
  ["Healthy", ["Unhealthy", "Healthy", "Healthy"], "healthy"],
  [
    "KeptLast",
    ["Unhealthy"],
    "unhealthy, but nothing else is left: the last ones stay, 1 of 1 regions: UnexpectedStatus 500",
  ],
  ["Unknown", ["Pending"], "no region has word of it: silence counts as healthy"],
])("%s with %j", (reason, says, text) => {
  expect(why(recordOf(reason, says), LEAF)).toBe(text);
});

test("a leaf that was never proven, with what stands in its way", () => {
  const record = recordOf("PendingWithheld", ["Pending"]);
  const region = record.probes[0]?.regions[0];
  if (region?.observation !== undefined) region.observation = { ...region.observation, reason: "NoAddress" };
  expect(why(record, LEAF)).toBe("not proven yet, 1 of 1 regions: NoAddress 200");
});

test("a leaf that the record no longer has", () => {
  expect(why(recordOf("Healthy", ["Healthy"]), "127.0.0.99")).toBe("no longer in the record");
});

test("what is wrong with a certificate, in the words of the prober", () => {
  const record = recordOf("UnhealthyWithheld", ["Unhealthy", "Unhealthy", "Healthy"]);
  for (const region of record.probes[0]?.regions ?? []) {
    if (region.counts.says !== "Unhealthy") continue;
    const message = "The certificate expired at 2026-11-29T00:00:00Z.";
    region.observation = { reason: "CertificateExpired", message, at: 0, phases: { totalMs: 1 } };
  }
  const words = "unhealthy, 2 of 3 regions: CertificateExpired (The certificate expired at 2026-11-29T00:00:00Z.)";
  expect(why(record, LEAF)).toBe(words);
});
