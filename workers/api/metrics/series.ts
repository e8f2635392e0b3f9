import type { Phases } from "../../../shared/model/observation.ts";
import type { ClusterHealth } from "../../../shared/model/overview.ts";
import type { RegionView } from "../../../shared/model/region-view.ts";
import type { ProbeStatus, RecordStatus, RegionStatus } from "../../../shared/model/status.ts";
import type { UsageOfDay } from "../../../shared/model/usage.ts";
import { amountsOf, FREE_A_DAY, ITEMS } from "../../../shared/price/prices.ts";
import { summaryOf } from "../../../shared/record/summary.ts";
import { byObjects, totalOf } from "../../../shared/usage/tally.ts";
import type { Settings } from "../../settings.ts";
import { type Exposition, seconds } from "./exposition.ts";

/**
 * Limit of record and probe series in one scrape. 1,000 HTTPS probes from nine regions have about 50,000. A scrape at
 * the limit has about 17 MB of text, which fits into a Worker (128 MB).
 */
export const MAX_SERIES = 100_000;

/** State, two leaf counts, and the time of the decision. */
const SERIES_A_RECORD = 4;
/** Verdict, failures, threshold, certificate. */
const SERIES_A_PROBE = 4;
/** Success, duration, and up to four phases. */
const SERIES_A_REGION = 6;

const STATES = ["critical", "degraded", "warning", "pending", "unknown", "not_probed", "healthy"];
const VERDICTS = ["healthy", "unhealthy", "pending", "unknown"];

/**
 * Adds the series of records and their probes, by root host, up to `maxSeries`. Series of records and probes come
 * first, then those by region. The totals always count all records.
 */
export function addRecords(to: Exposition, records: readonly RecordStatus[], maxSeries = MAX_SERIES): void {
  const sorted = records.toSorted((a, b) => (a.rootHost < b.rootHost ? -1 : 1));
  const own = selectWithin(sorted, maxSeries, (record) => SERIES_A_RECORD + SERIES_A_PROBE * record.probes.length);
  const regional = selectWithin(own.selected, own.remaining, (record) => SERIES_A_REGION * regionCount(record));
  addTotals(to, sorted);
  to.add("leftOut", { kind: "record" }, sorted.length - own.selected.length);
  to.add("leftOut", { kind: "regional" }, sorted.length - regional.selected.length);
  for (const record of own.selected) addRecord(to, record);
  for (const record of regional.selected) addRegional(to, record);
}

const regionCount = ({ probes }: RecordStatus) => probes.reduce((sum, { regions }) => sum + regions.length, 0);

/** Selects the records that fit, in order. A record that is too large does not exclude later, smaller ones. */
function selectWithin(records: readonly RecordStatus[], max: number, cost: (record: RecordStatus) => number) {
  let remaining = max;
  const selected = records.filter((record) => {
    const fits = cost(record) <= remaining;
    if (fits) remaining -= cost(record);
    return fits;
  });
  return { selected, remaining };
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

const count = (values: readonly string[], value: string) => values.filter((one) => one === value).length;

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
    for (const status of probe.regions) addProbeOfRegion(to, { ...labels, region: status.region }, status);
  }
}

type Labels = ReturnType<typeof labelsOf> & { region: string };

/** A silent region gets no samples, since its last result may be out of date. */
function addProbeOfRegion(to: Exposition, labels: Labels, { freshness, counts, observation }: RegionStatus): void {
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

/** The duration of each phase in ms. In an observation, later phases are counted from the start of the dial. */
export function phaseTimes({ resolveMs, connectMs, tlsMs, firstByteMs }: Phases): [phase: string, ms: number][] {
  const before = tlsMs ?? connectMs;
  const times: [string, number | undefined][] = [
    ["resolve", resolveMs],
    ["connect", connectMs],
    ["tls", between(connectMs, tlsMs)],
    ["first_byte", between(before, firstByteMs)],
  ];
  return times.flatMap(([phase, ms]) => (ms === undefined ? [] : [[phase, ms]]));
}

function between(from: number | undefined, to: number | undefined): number | undefined {
  return from === undefined || to === undefined ? undefined : Math.max(0, to - from);
}

export function addRegions(to: Exposition, regions: readonly RegionView[]): void {
  for (const { region, ...view } of regions) {
    to.add("regionProbes", { region }, view.probes);
    to.add("regionShards", { region }, view.shards);
    to.add("regionSilent", { region }, view.silentShards);
    to.add("regionSuspect", { region }, view.suspect);
    to.add("regionLate", { region }, seconds(view.lateMs));
    to.add("regionReport", { region }, seconds(view.lastReportAt));
  }
}

/** Adds the usage of all partitions today. */
export function addUsage(to: Exposition, today: UsageOfDay, plan: Settings["PLAN"]): void {
  for (const { objects, used } of byObjects(today)) {
    const amounts = amountsOf(used);
    for (const item of ITEMS) to.add("usedToday", { objects, item }, amounts[item]);
  }
  if (plan !== "free") return;
  const all = amountsOf(totalOf(today));
  for (const item of ITEMS) to.add("quotaUsed", { item }, all[item] / FREE_A_DAY[item]);
}

/** Adds the clusters by name; `undefined` if the cluster's object did not answer. */
export function addClusters(to: Exposition, clusters: ReadonlyMap<string, ClusterHealth | undefined>): void {
  for (const [cluster, health] of clusters) {
    to.add("clusterUp", { cluster }, health !== undefined);
    if (health === undefined) continue;
    to.add("clusterReachable", { cluster }, health.reachable);
    to.add("clusterFailures", { cluster }, health.failures);
    to.add("clusterBacklog", { cluster }, health.backlog);
    to.add("clusterRecords", { cluster }, health.records);
    to.add("clusterSnapshot", { cluster }, seconds(health.lastSnapshotAt));
    to.add("clusterDelivery", { cluster }, seconds(health.lastDeliveryAt));
  }
}
