import { describe, expect, it } from "vitest";
import type { ProbeStatus, RecordStatus, RegionStatus } from "../../../shared/model/status.ts";
import { shownRecords } from "../../../test/support/shown-records.ts";
import { Exposition } from "./exposition.ts";
import { addRecords } from "./series.ts";

const [ONE] = shownRecords({ records: 1, leaves: 1, regions: 2 }) as [RecordStatus];
const HOST = 'host="service-0000.example.com"';
const PROBE = `${HOST},cluster="europe-west",namespace="shop",record="service-0000",address="198.51.0.1"`;

/** The samples of a metric, by its name without the prefix. */
function samples(name: string, records: readonly RecordStatus[], maxSeries?: number): string[] {
  const to = new Exposition();
  addRecords(to, records, maxSeries);
  const prefix = `vedette_edge_${name}{`;
  return to
    .text()
    .split("\n")
    .flatMap((line) => (line.startsWith(prefix) ? [`{${line.slice(prefix.length)}`] : []));
}

/** The record with another probe, or another word of its first region. */
function changed(probe: Partial<ProbeStatus>, word: Partial<RegionStatus> = {}): RecordStatus {
  const [first] = ONE.probes as [ProbeStatus];
  const regions = first.regions.map((region, at) => (at === 0 ? { ...region, ...word } : region));
  return { ...ONE, probes: [{ ...first, regions, ...probe }] };
}

const word = (
  counts: { failures: number; successes: number },
  more: Partial<RegionStatus> = {},
): Partial<RegionStatus> => ({
  counts: { ...counts, says: "Pending" },
  ...more,
});

describe("a record", () => {
  it("has its state, its leaves and its decision", () => {
    expect(samples("record_state", [ONE])).toEqual([`{${HOST},state="healthy"} 1`]);
    expect(samples("record_leaves", [ONE])).toEqual([`{${HOST},state="published"} 1`, `{${HOST},state="withheld"} 0`]);
    expect(samples("record_decided_timestamp_seconds", [ONE])).toEqual([`{${HOST}} 1795996800`]);
    expect(samples("record_decided_timestamp_seconds", [{ ...ONE, decidedAt: 0 }])).toEqual([]);
  });

  it("that is not probed says so in a word of its own", () => {
    const resting: RecordStatus = { ...ONE, probes: [], leaves: [{ leaf: "a", published: true, reason: "NotProbed" }] };
    expect(samples("record_state", [resting])).toEqual([`{${HOST},state="not_probed"} 1`]);
  });
});

describe("a probe", () => {
  it("has verdict, failures, threshold and the earliest end of a certificate", () => {
    const ends = { phases: { totalMs: 1 }, reason: "Ok" as const, at: 1 };
    const tls = { version: "TLSv1.3", cipherSuite: "x", notAfter: 99_000, expiresAt: 50_000 };
    const record = changed({ verdict: "Unhealthy", consecutiveFailures: 6 }, { observation: { ...ends, tls } });
    expect(samples("probe_verdict", [record])).toEqual([`{${PROBE},verdict="unhealthy"} 1`]);
    expect(samples("probe_consecutive_failures", [record])).toEqual([`{${PROBE}} 6`]);
    expect(samples("probe_failure_threshold", [record])).toEqual([`{${PROBE}} 5`]);
    expect(samples("probe_certificate_expiry_timestamp_seconds", [record])).toEqual([`{${PROBE}} 50`]);
  });

  it.each<[string, Partial<RegionStatus>, string | undefined]>([
    ["went well", word({ failures: 0, successes: 3 }), "1"],
    ["failed", word({ failures: 1, successes: 0 }), "0"],
    ["was never done", word({ failures: 0, successes: 0 }), undefined],
    ["is too old to tell of", word({ failures: 0, successes: 3 }, { freshness: "Silent" }), undefined],
  ])("whose last check from a region %s", (_name, said, expected) => {
    const [first] = samples("probe_success", [changed({}, said)]);
    expect(first).toBe(expected === undefined ? `{${PROBE},region="enam"} 1` : `{${PROBE},region="wnam"} ${expected}`);
  });

  it.each([
    [
      "HTTPS",
      { connectMs: 10, tlsMs: 25, firstByteMs: 31.5, totalMs: 40 },
      ["connect 0.01", "tls 0.015", "first_byte 0.0065"],
    ],
    [
      "HTTP by name",
      { resolveMs: 4, connectMs: 10, firstByteMs: 12, totalMs: 20 },
      ["resolve 0.004", "connect 0.01", "first_byte 0.002"],
    ],
    ["a dial that hangs", { totalMs: 5_000 }, []],
    ["a clock that went back", { connectMs: 10, tlsMs: 9, totalMs: 20 }, ["connect 0.01", "tls 0"]],
  ])("tells each phase by itself: %s", (_name, phases, expected) => {
    const record = changed({}, { observation: { reason: "Ok", at: 1, phases } });
    const here = samples("probe_phase_duration_seconds", [record]).filter((line) => line.includes('region="wnam"'));
    expect(here).toEqual(
      expected.map((text) => {
        const [phase, value] = text.split(" ");
        return `{${PROBE},region="wnam",phase="${phase}"} ${value}`;
      }),
    );
    const [whole] = samples("probe_duration_seconds", [record]);
    expect(whole).toBe(`{${PROBE},region="wnam"} ${phases.totalMs / 1000}`);
  });
});

describe("more records than there is room for", () => {
  const ten = shownRecords({ records: 10, leaves: 1, regions: 9 }).toReversed();
  const hostsOf = (lines: string[]) => [...new Set(lines.map((line) => /service-\d+/.exec(line)?.[0]))];

  it("lose what each region sees first, by their names, and are counted", () => {
    const max = 10 * 8 + 2 * 54;
    expect(hostsOf(samples("record_state", ten, max))).toHaveLength(10);
    expect(hostsOf(samples("probe_success", ten, max))).toEqual(["service-0000", "service-0001"]);
    expect(samples("series_left_out", ten, max)).toEqual(['{kind="record"} 0', '{kind="regional"} 8']);
  });

  it("are in the totals all the same", () => {
    expect(hostsOf(samples("record_state", ten, 24))).toEqual(["service-0000", "service-0001", "service-0002"]);
    expect(samples("series_left_out", ten, 24)).toEqual(['{kind="record"} 7', '{kind="regional"} 10']);
    expect(samples("records", ten, 24)).toContain('{state="healthy"} 10');
    expect(samples("probes", ten, 24)).toContain('{verdict="healthy"} 10');
    expect(samples("leaves", ten, 24)).toEqual(['{state="published"} 10', '{state="withheld"} 0']);
  });

  it("never make more series than said", () => {
    for (const max of [0, 7, 8, 100, 500, 1_000]) {
      const to = new Exposition();
      addRecords(to, ten, max);
      const bounded = to
        .text()
        .split("\n")
        .filter((line) => line.includes("host="));
      expect(bounded.length).toBeLessThanOrEqual(max);
    }
  });
});
