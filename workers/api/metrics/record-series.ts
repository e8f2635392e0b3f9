import type { ProbeStatus, RecordStatus, RegionStatus } from "../../../shared/model/status.ts";
import { summaryOf } from "../../../shared/record/summary.ts";
import { type Exposition, seconds } from "./exposition.ts";
import { phaseTimes } from "./phases.ts";

/**
 * Most series of records and probes in one scrape. 1,000 HTTPS probes from nine regions have about 50,000. A scrape at the bound
 * has some 17 MB of text, which fits into a Worker (128 MB).
 */
export const MAX_SERIES = 100_000;

/** State, two numbers of leaves, and when it was decided. */
const SERIES_A_RECORD = 4;
/** Verdict, failures, threshold, certificate. */
const SERIES_A_PROBE = 4;
/** Success, duration, and at most four phases. */
const SERIES_A_REGION = 6;

const STATES = ["critical", "degraded", "warning", "pending", "unknown", "not_probed", "healthy"];
const VERDICTS = ["healthy", "unhealthy", "pending", "unknown"];

/**
 * The series of records and their probes. Within `maxSeries`, by root host, first each record's own and its probes', then what
 * each region sees; the totals hold all of them.
 */
export function addRecords(to: Exposition, records: readonly RecordStatus[], maxSeries = MAX_SERIES): void {
  const sorted = records.toSorted((a, b) => (a.rootHost < b.rootHost ? -1 : 1));
  const own = within(sorted, maxSeries, (record) => SERIES_A_RECORD + SERIES_A_PROBE * record.probes.length);
  const regional = within(own.taken, own.left, (record) => SERIES_A_REGION * wordsIn(record));
  addTotals(to, sorted);
  to.add("leftOut", { kind: "record" }, sorted.length - own.taken.length);
  to.add("leftOut", { kind: "regional" }, sorted.length - regional.taken.length);
  for (const record of own.taken) addRecord(to, record);
  for (const record of regional.taken) addRegional(to, record);
}

const wordsIn = ({ probes }: RecordStatus) => probes.reduce((sum, { regions }) => sum + regions.length, 0);

/** Those that fit, in their order; one that is too large keeps no smaller one out. */
function within(records: readonly RecordStatus[], max: number, cost: (record: RecordStatus) => number) {
  let left = max;
  const taken = records.filter((record) => {
    const fits = cost(record) <= left;
    if (fits) left -= cost(record);
    return fits;
  });
  return { taken, left };
}

function addTotals(to: Exposition, records: readonly RecordStatus[]): void {
  const states = records.map((record) => stateOf(record));
  for (const state of STATES) to.add("records", { state }, count(states, state));
  const verdicts = records.flatMap(({ probes }) => probes.map(({ verdict }) => verdict.toLowerCase()));
  for (const verdict of VERDICTS) to.add("probes", { verdict }, count(verdicts, verdict));
  const leaves = records.flatMap((record) => record.leaves);
  const published = leaves.filter((leaf) => leaf.published).length;
  to.add("leaves", { state: "published" }, published);
  to.add("leaves", { state: "withheld" }, leaves.length - published);
}

const count = (words: readonly string[], word: string) => words.filter((one) => one === word).length;

/** `NotProbed` is `not_probed`. */
const stateOf = (record: RecordStatus) =>
  summaryOf(record)
    .state.replace(/(?<=.)[A-Z]/, "_$&")
    .toLowerCase();

function addRecord(to: Exposition, record: RecordStatus): void {
  const { rootHost: host, leaves, probes, decidedAt } = record;
  const published = leaves.filter((leaf) => leaf.published).length;
  to.add("recordState", { host, state: stateOf(record) }, 1);
  to.add("recordLeaves", { host, state: "published" }, published);
  to.add("recordLeaves", { host, state: "withheld" }, leaves.length - published);
  if (decidedAt > 0) to.add("recordDecided", { host }, seconds(decidedAt));
  for (const probe of probes) addProbe(to, host, probe);
}

function addProbe(to: Exposition, host: string, probe: ProbeStatus): void {
  const labels = labelsOf(host, probe);
  const ends = probe.regions.flatMap(
    ({ observation }) => observation?.tls?.expiresAt ?? observation?.tls?.notAfter ?? [],
  );
  to.add("probeVerdict", { ...labels, verdict: probe.verdict.toLowerCase() }, 1);
  to.add("probeFailures", labels, probe.consecutiveFailures);
  to.add("probeThreshold", labels, probe.failureThreshold);
  if (ends.length > 0) to.add("certificateEnd", labels, seconds(Math.min(...ends)));
}

function addRegional(to: Exposition, { rootHost, probes }: RecordStatus): void {
  for (const probe of probes) {
    const labels = labelsOf(rootHost, probe);
    for (const word of probe.regions) addWord(to, { ...labels, region: word.region }, word);
  }
}

type Labels = ReturnType<typeof labelsOf> & { region: string };

/** The last result of a silent region says nothing about the current state. */
function addWord(to: Exposition, labels: Labels, { freshness, counts, observation }: RegionStatus): void {
  if (freshness === "Silent") return;
  const isChecked = counts.failures > 0 || counts.successes > 0;
  to.add("probeSuccess", labels, isChecked ? counts.failures === 0 : undefined);
  if (observation === undefined) return;
  to.add("probeDuration", labels, seconds(observation.phases.totalMs));
  for (const [phase, ms] of phaseTimes(observation.phases)) to.add("phaseDuration", { ...labels, phase }, seconds(ms));
}

function labelsOf(host: string, { cluster, record: key, leaf: address }: ProbeStatus) {
  const [namespace = "", record = ""] = key.split("/");
  return { host, cluster, namespace, record, address };
}
