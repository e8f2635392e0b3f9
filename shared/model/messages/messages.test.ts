import { describe, expect, it } from "vitest";
import { assignment } from "./assignment.ts";
import { acknowledgement, delivery } from "./delivery.ts";
import { report } from "./report.ts";
import { snapshotRecord } from "./snapshot.ts";

const number = { epoch: 1, n: 2 };
const shard = { region: "weur", partition: 0, intervalMs: 30_000, n: 0, regions: ["weur"] };
const counts = { failures: 0, successes: 2, says: "Healthy" };
const id = "one/shop/api/203.0.113.10";
const observation = { reason: "Ok", at: 3, phases: { totalMs: 4 } };
const condition = { type: "Accepted", status: "True", reason: "Accepted", message: "" };

const probe = {
  id,
  revision: "r",
  target: { protocol: "HTTP", leaf: "203.0.113.10", port: 80, host: "api.example.com", path: "/" },
  expectation: { statuses: [{ from: 200, to: 299 }], addressPolicy: "Any" },
  headers: { sealed: { keyId: "1", iv: "AAAA", ciphertext: "AAAA" }, digest: "d" },
  timeoutMs: 5_000,
  failureThreshold: 5,
  successThreshold: 2,
  carried: counts,
};

const record = {
  rootHost: "api.example.com",
  shares: [{ cluster: "one", record: "shop/api", conditions: [condition] }],
  whenSilent: "Publish",
  endpoints: [{ dnsName: "api.example.com", recordType: "A", recordTTL: 60, targets: ["203.0.113.10"] }],
  leaves: [{ leaf: "203.0.113.10", published: true, reason: "Healthy" }],
  probes: [
    {
      id,
      cluster: "one",
      record: "shop/api",
      leaf: "203.0.113.10",
      verdict: "Healthy",
      since: 1,
      provenAt: 1,
      consecutiveFailures: 0,
      failureThreshold: 5,
      successThreshold: 2,
      quorum: 1,
      regions: [{ region: "weur", freshness: "Fresh", counts, checkedAt: 3, observation }],
      advisories: [{ type: "KeptLast", message: "" }],
    },
  ],
  advisories: [],
  decidedAt: 1,
};

/** Adds a field that no reader knows to every object but endpoints, which are as strict as a manifest. */
function fromNewerSender(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromNewerSender);
  if (typeof value !== "object" || value === null || "dnsName" in value) return value;
  const entries = Object.entries(value).map(([name, field]) => [name, fromNewerSender(field)]);
  return { ...Object.fromEntries(entries), addedLater: true };
}

describe("readers are tolerant: a field that a newer sender has added, at any depth, stops no message", () => {
  it.each([
    ["assignment", assignment, { version: 1, shard, number, probes: [probe] }],
    [
      "report",
      report,
      {
        version: 1,
        shard,
        number,
        assignment: number,
        roundAt: 1,
        lateMs: 0,
        probes: [{ id, revision: "r", counts, checkedAt: 3, observation }],
      },
    ],
    ["delivery", delivery, { version: 1, cluster: "one", number, sentAt: 1, kind: "Full", records: [record] }],
    ["contact", delivery, { version: 1, cluster: "one", number, sentAt: 1, kind: "Contact" }],
    ["acknowledgement", acknowledgement, { version: 1, acknowledged: number }],
  ])("%s", (_, schema, message) => {
    expect(schema.parse(fromNewerSender(message))).toEqual(message);
  });
});

it("another version is refused", () => {
  expect(assignment.safeParse({ version: 2, shard, number, probes: [] }).success).toBe(false);
});

it("a snapshot's records are a person's words: unknown fields are refused there", () => {
  const spec = { rootHost: "api.example.com", endpoints: record.endpoints };
  expect(snapshotRecord.safeParse({ namespace: "shop", name: "api", spec }).success).toBe(true);
  expect(snapshotRecord.safeParse({ namespace: "shop", name: "api", spec, extra: 1 }).success).toBe(false);
});
