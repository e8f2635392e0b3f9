import { describe, expect, it } from "vitest";
import { probeObjectStatus, probeSpec } from "../../shared/model/dns-health-check-probe.ts";
import { delivered } from "../../test/support/agent/delivered.ts";
import { dnsRecord, NOW, type RecordGiven, recordsOf } from "../../test/support/agent/kube-objects.ts";
import type { DeliveredRecord } from "../edge/delivered.ts";
import { probeObjects } from "./probe-object.ts";

const [A, B] = ["192.0.2.1", "192.0.2.2"] as const;
const AT = Date.UTC(2026, 10, 30, 11, 59);

function objectsOf(given: Partial<RecordGiven> = {}, said?: DeliveredRecord, before?: unknown, refreshTimes = false) {
  const [record] = recordsOf([dnsRecord({ name: "x", ...given })]).records;
  const status = before === undefined ? undefined : { ...dnsRecord({ name: "x" }), status: before };
  const wanted = probeObjects({
    record: record!,
    delivered: said,
    cluster: "here",
    objectAt: () => status,
    refreshTimes,
    nowMs: NOW,
  });
  return wanted.map(({ object, status: shown }) => ({
    ...object,
    status: probeObjectStatus.parse(shown),
    spec: probeSpec.parse(object.spec),
  }));
}

type Region = DeliveredRecord["probes"][number]["regions"][number];
const region = (name: string, change: Partial<Region> = {}): Region => ({
  region: name,
  freshness: "Fresh",
  counts: { failures: 0, successes: 100, says: "Healthy" },
  checkedAt: AT,
  observation: { reason: "Ok", httpStatus: 200, at: AT },
  ...change,
});
const failing = (name: string, reason: string, change: Partial<Region> = {}) =>
  region(name, { counts: { failures: 4, successes: 0, says: "Unhealthy" }, observation: { reason }, ...change });

/** What the edge said of A, in these regions. */
function said(verdict: string, regions: Region[], change: object = {}): DeliveredRecord {
  const record = delivered("x.test", [A, B]);
  const [probe] = record.probes;
  return { ...record, probes: [{ ...probe!, verdict, since: AT, regions, ...change }] };
}

describe("probe objects", () => {
  it("are there for each leaf before the edge has said anything: Pending, and neither healthy nor not", () => {
    const [one, two] = objectsOf();
    expect([one?.metadata.name, two?.metadata.name]).toEqual([`x-${A}`, `x-${B}`]);
    expect(one?.metadata).toMatchObject({
      namespace: "shop",
      labels: { "app.kubernetes.io/managed-by": "vedette-agent", "vedette.dev/record": "x" },
      ownerReferences: [{ kind: "DNSRecord", name: "x", uid: "uid-x", controller: true }],
    });
    expect(one?.status).toMatchObject({ verdict: "Pending", consecutiveFailures: 0, regions: [] });
    expect(one?.status).not.toHaveProperty("healthy");
    expect(one?.status.conditions).toMatchObject([{ type: "Healthy", status: "Unknown", reason: "Pending" }]);
  });

  it("say what is asked", () => {
    const healthCheck = { protocol: "HTTPS", path: "/healthz", interval: "10s", expectedStatuses: ["200", "300-399"] };
    expect(objectsOf({ spec: { healthCheck } })[0]?.spec).toEqual({
      record: "x",
      rootHost: "x.test",
      address: A,
      protocol: "HTTPS",
      port: 443,
      host: "x.test",
      path: "/healthz",
      interval: "10s",
      confirmInterval: "1s",
      timeout: "5s",
      staleAfter: "1m",
      failureThreshold: 5,
      successThreshold: 2,
      expectedStatuses: ["200", "300-399"],
      addressPolicy: "Any",
      regions: ["apac", "enam", "weur"],
      quorum: "Majority",
    });
    const [tcp] = objectsOf({ spec: { healthCheck: { protocol: "TCP", port: 5432 } } });
    expect(tcp?.spec).not.toHaveProperty("host");
  });

  it.each([
    ["without a health check", { spec: { healthCheck: undefined } }, 0],
    ["behind a wildcard", { host: "*.x.test" }, 0],
    [
      "behind a wildcard whose policy names a host",
      { host: "*.x.test", spec: { healthCheck: { host: "a.x.test" } } },
      2,
    ],
    ["behind a wildcard, by TCP", { host: "*.x.test", spec: { healthCheck: { protocol: "TCP", port: 1 } } }, 2],
  ])("of a record %s are %j", (_, given, count) => {
    expect(objectsOf(given)).toHaveLength(count);
  });

  it("of a leaf that the edge cannot probe say so", () => {
    const record = delivered("x.test", [B]);
    const conditions = [{ type: "NotProbeable", status: "True", reason: "AddressNotProbeable", message: "private" }];
    const shares = [{ cluster: "here", record: "shop/x", conditions }];
    const leaves = [...record.leaves, { leaf: A, published: true, reason: "NotProbed" }];
    const [one, two] = objectsOf({}, { ...record, shares, leaves });
    expect(one?.status).toMatchObject({
      verdict: "Pending",
      reason: "NotProbeable",
      message: "private",
      publishedReason: "NotProbed",
      conditions: [{ status: "Unknown", reason: "NotProbeable" }],
    });
    expect(two?.status).toMatchObject({ verdict: "Healthy", healthy: true });
  });
});

describe("the status of a probe object", () => {
  it("shows each region, in order, and when each asked", () => {
    const tls = { expiresAt: AT + 1_000 };
    const regions = [
      region("weur", { colo: "AMS", observation: { reason: "Ok", httpStatus: 204, at: AT, tls } }),
      failing("enam", "ConnectFailed", { checkedAt: AT - 1_000 }),
    ];
    const [one] = objectsOf({}, said("Healthy", regions));
    expect(one?.status).toMatchObject({
      healthy: true,
      lastCheckedAt: "2026-11-30T11:59:00.000Z",
      reason: "Ok",
      status: 204,
    });
    expect(one?.status.regions).toEqual([
      {
        region: "enam",
        freshness: "Fresh",
        says: "Unhealthy",
        consecutiveFailures: 4,
        consecutiveSuccesses: 0,
        reason: "ConnectFailed",
        lastCheckedAt: "2026-11-30T11:58:59.000Z",
      },
      {
        region: "weur",
        freshness: "Fresh",
        says: "Healthy",
        consecutiveFailures: 0,
        consecutiveSuccesses: 2,
        reason: "Ok",
        httpStatus: 204,
        lastCheckedAt: "2026-11-30T11:59:00.000Z",
        colo: "AMS",
        certificateExpiresAt: "2026-11-30T11:59:01.000Z",
      },
    ]);
  });

  it("does not change with more successes, nor with which region reported last", () => {
    const regions = (successes: number, latest: number) =>
      ["apac", "enam", "weur"].map((name, index) => ({
        ...failing(name, index === 0 ? "ConnectTimeout" : "ConnectFailed"),
        ...(name === "weur" && region("weur", { counts: { failures: 0, successes, says: "Healthy" } })),
        checkedAt: AT + (index === latest ? 1 : 0),
      }));
    const shown = (successes: number, latest: number) => {
      const {
        lastCheckedAt: _,
        regions: each,
        ...rest
      } = objectsOf({}, said("Unhealthy", regions(successes, latest)))[0]!.status;
      return [rest, each.map(({ lastCheckedAt: __, ...one }) => one)];
    };
    expect(shown(7, 0)).toEqual(shown(8_000, 1));
  });

  it("of a leaf that goes on failing stands until times are refreshed", () => {
    const failed = (failures: number) =>
      said("Unhealthy", [failing("weur", "ConnectFailed", { counts: { failures, successes: 0, says: "Unhealthy" } })], {
        consecutiveFailures: failures,
      });
    const counts = (failures: number, before?: unknown, refreshTimes?: boolean) => {
      const status = objectsOf({}, failed(failures), before, refreshTimes)[0]!.status;
      return [status.consecutiveFailures, status.regions[0]?.consecutiveFailures];
    };
    const before = objectsOf({}, failed(6))[0]!.status;
    expect(counts(400, before)).toEqual([6, 6]);
    expect(counts(400, before, true)).toEqual([400, 400]);
    expect(counts(400, "garbage")).toEqual([400, 400]);
  });

  it("names where an unhealthy leaf fails and how most see it", () => {
    const regions = [failing("weur", "ConnectFailed"), failing("enam", "ConnectFailed"), failing("apac", "TLSAlert")];
    const [one] = objectsOf({}, said("Unhealthy", regions));
    expect(one?.status).toMatchObject({
      healthy: false,
      reason: "ConnectFailed",
      conditions: [{ status: "False", reason: "Unhealthy", message: "apac, enam, weur: ConnectFailed" }],
    });
  });

  it.each([
    ["Unknown", "Unknown", "Unknown"],
    ["Pending", "Unknown", "Pending"],
    ["Dubious", "Unknown", "Unknown"],
  ])("with the verdict %s is neither healthy nor not", (verdict, status, reason) => {
    const [one] = objectsOf({}, said(verdict, [region("weur", { freshness: "Silent" })]));
    expect(one?.status).not.toHaveProperty("healthy");
    expect(one?.status.conditions).toMatchObject([{ status, reason }]);
  });

  it("keeps the time of its condition while the status does, and of no garbage", () => {
    const condition = { type: "Healthy", status: "True", reason: "Healthy", message: "" };
    const time = (lastTransitionTime: unknown, status = "True") =>
      objectsOf({}, said("Healthy", [region("weur")]), {
        conditions: [{ ...condition, status, lastTransitionTime }],
      })[0]?.status.conditions?.[0]?.lastTransitionTime;
    expect(time("2026-01-01T00:00:00Z")).toBe("2026-01-01T00:00:00Z");
    expect(time("2026-01-01T00:00:00Z", "False")).toBe("2026-11-30T12:00:00.000Z");
    expect(time("yesterday")).toBe("2026-11-30T12:00:00.000Z");
  });

  it("of a probe that rests says why", () => {
    const resting = { type: "Resting", status: "True", reason: "HeadersMissing", message: "The Secret is missing." };
    const [one] = objectsOf({}, said("Healthy", [region("weur", { freshness: "Silent" })], { resting }));
    expect(one?.status).toMatchObject({ healthy: true, reason: "HeadersMissing", message: "The Secret is missing." });
  });

  it("holds what the definition of the kind takes, whatever a newer edge sends", () => {
    const odd = region("weur", { counts: { failures: 1.5, successes: 0.2, says: "x".repeat(9) } });
    const long = region("weur", { observation: { reason: "Ok", message: "m".repeat(5_000), httpStatus: 200 } });
    const [one] = objectsOf({}, said("Healthy", [odd, long], { consecutiveFailures: 2.5 }));
    expect(one?.status.regions).toHaveLength(1);
    expect(one?.status.consecutiveFailures).toBe(2);
    expect(one?.status.message?.length).toBe(300);
  });
});
