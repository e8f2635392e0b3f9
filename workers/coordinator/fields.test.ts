import { describe, expect, it } from "vitest";
import { healthCheck } from "../../shared/model/health-check.ts";
import type { Region } from "../../shared/model/region.ts";
import {
  type Bench,
  type HealthCheckInput,
  MINUTE,
  onBench,
  SECOND,
  share,
} from "../../test/support/coordinator/bench.ts";

const A = "203.0.113.10";
const ID = `east/shop/api/${A}`;
const REGIONS: readonly Region[] = ["apac", "enam", "weur", "sam"];
const SEALED = { sealed: { keyId: "1", iv: "aXYx", ciphertext: "Y2lwaGVy" }, digest: "one" };

type Field = keyof HealthCheckInput;
type Sample = { check: Partial<HealthCheckInput>; from?: Partial<HealthCheckInput>; headers?: typeof SEALED };

/** Another value than the default for each field; `from` is what it is an edit of, where other fields have to fit. */
const SAMPLES: Record<Field, Sample> = {
  protocol: { check: { protocol: "TCP", port: 80 }, from: { protocol: "HTTP", port: 80 } },
  port: { check: { port: 8443 } },
  path: { check: { path: "/healthz" } },
  host: { check: { host: "probe.example.com" } },
  interval: { check: { interval: "20s" } },
  confirmInterval: { check: { confirmInterval: "7s" } },
  timeout: { check: { timeout: "1s" } },
  failureThreshold: { check: { failureThreshold: 0 } },
  successThreshold: { check: { successThreshold: 1 } },
  expectedStatuses: { check: { expectedStatuses: ["204"] } },
  expectedBody: { check: { expectedBody: "ok" } },
  addressPolicy: { check: { addressPolicy: "All" } },
  additionalHeadersRef: {
    check: { additionalHeadersRef: { name: "h" }, allowHeadersInCleartext: true },
    from: { allowHeadersInCleartext: true },
    headers: SEALED,
  },
  // Read with the record; it leaves no trace.
  allowHeadersInCleartext: {
    check: { additionalHeadersRef: { name: "h" }, allowHeadersInCleartext: true },
    from: { additionalHeadersRef: { name: "h" }, allowHeadersInCleartext: false },
    headers: SEALED,
  },
  allowInsecureCertificate: {
    check: { protocol: "HTTPS", allowInsecureCertificate: true },
    from: { protocol: "HTTPS" },
  },
  regions: { check: { regions: ["weur", "sam", "enam", "apac"] } },
  quorum: { check: { quorum: "All" } },
  staleAfter: { check: { staleAfter: "5m" } },
};

/** The assignments: the shards, and the whole probe in each. */
const toldTo = (bench: Bench) =>
  [...bench.probers.probers.values()]
    .filter(({ assignment }) => assignment.probes.length > 0)
    .map(({ assignment: { shard, probes } }) => {
      const { region, intervalMs, regions } = shard;
      return { region, intervalMs, regions, probes: probes.map(({ carried: _, ...probe }) => probe) };
    })
    .sort((a, b) => (a.region < b.region ? -1 : 1));

/** A failing round, then silence: what is shown of the probe, minute by minute. */
async function judged(bench: Bench): Promise<unknown[]> {
  const shown: unknown[] = [];
  bench.now += 10 * SECOND;
  bench.probers.outcome = () => "ConnectFailed";
  bench.round(...REGIONS);
  for (let minute = 0; minute < 7; minute += 1) {
    const probe = bench.coordination.readProbe(ID);
    const regions = probe?.regions.map(({ region, freshness, counts }) => ({ region, freshness, counts }));
    shown.push({ ...probe, regions });
    bench.now += MINUTE;
    bench.coordination.heartbeat();
    await bench.settle();
  }
  return shown;
}

/** Puts one form of the record after another, with nothing between, and observes what comes of the last. */
async function observe(...forms: { check: Partial<HealthCheckInput>; headers?: typeof SEALED }[]) {
  const seen: { told: unknown; shown: unknown }[] = [];
  await onBench(async (bench) => {
    for (const [n, { check, headers }] of forms.entries()) {
      bench.put("east", n + 1, [share([A], { check: { ...check }, ...(headers && { headers }) })]);
      await bench.settle();
    }
    seen.push({ told: toldTo(bench), shown: await judged(bench) });
  });
  return seen[0];
}

describe("each field of a health check", () => {
  it("has a sample here: a new field needs one, and so a mapping", () => {
    expect(Object.keys(SAMPLES).sort()).toEqual(Object.keys(healthCheck.in.shape).sort());
  });

  it.each(Object.entries(SAMPLES))(
    "%s reaches regions and verdict the same by creation and by edit",
    async (_, sample) => {
      const { check, from = {}, headers } = sample;
      const edited = { check, ...(headers && { headers }) };
      const created = await observe(edited);
      expect(created?.told).not.toEqual([]);
      expect(await observe({ check: from }, edited)).toEqual(created);
      expect(await observe(edited, { check: from }, edited)).toEqual(created);
      expect(await observe({ check: from }), "the field changes nothing at all").not.toEqual(created);
    },
  );
});
