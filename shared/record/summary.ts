import { describeReason } from "../explain/describe-reason.ts";
import { unhealthyRegions } from "../explain/region-views.ts";
import type { LeafSummary, RecordState, RecordSummary, RegionSummary } from "../model/overview.ts";
import type { LeafDecision, LeafReason, ProbeStatus, RecordStatus, RegionStatus } from "../model/status.ts";
import { outcomeOf } from "../reason.ts";
import { bestVerdict } from "./leaf-health.ts";

/** What of a record its summary is made of. */
export type Summed = Pick<RecordStatus, "rootHost" | "shares" | "leaves" | "probes" | "advisories" | "decidedAt">;

/** A record in the overview: what is out of DNS, why, since when, as seen from where. */
export function summaryOf(record: Summed): RecordSummary {
  const byLeaf = Map.groupBy(record.probes, ({ leaf }) => leaf);
  return {
    rootHost: record.rootHost,
    state: stateOf(record),
    clusters: [...new Set(record.shares.map(({ cluster }) => cluster))].sort(),
    leaves: record.leaves.map((decision) => leafSummary(decision, byLeaf.get(decision.leaf) ?? [])),
    regions: regionSummaries(record.probes),
    decidedAt: record.decidedAt,
  };
}

/** The summary for those who may not know the addresses: its leaves are `address 1` and so on, in their order. */
export function hideAddresses(summary: RecordSummary): RecordSummary {
  const leaves = summary.leaves.map((leaf, index) => ({ ...leaf, leaf: `address ${index + 1}` }));
  return { ...summary, leaves };
}

/** Each state with what makes it, the worst first: the first that fits is the record's. */
const STATES: readonly (readonly [RecordState, (record: Summed) => boolean])[] = [
  ["Critical", (record) => has(record, "KeptLast") || isNothingLeft(record)],
  ["Degraded", (record) => has(record, "UnhealthyWithheld", "KeptForMinPublished", "KeptForFamily")],
  ["Warning", hasWarning],
  ["Pending", (record) => record.leaves.length === 0 || has(record, "PendingPublished", "PendingWithheld")],
  ["Unknown", (record) => has(record, "Unknown")],
  ["NotProbed", ({ leaves }) => leaves.every(({ reason }) => reason === "NotProbed")],
];

export const stateOf = (record: Summed): RecordState => STATES.find(([, fits]) => fits(record))?.[0] ?? "Healthy";

const has = ({ leaves }: Summed, ...reasons: LeafReason[]) => leaves.some(({ reason }) => reasons.includes(reason));

/** Withheld, all of them, and not only because they are new. */
function isNothingLeft(record: Summed): boolean {
  return has(record, "UnhealthyWithheld") && !record.leaves.some(({ published }) => published);
}

function hasWarning({ advisories, probes, shares }: Summed): boolean {
  const isAdvised = advisories.length > 0 || probes.some((probe) => probe.advisories.length > 0);
  return isAdvised || shares.some(({ conditions }) => conditions.some(isTrouble));
}

/** A form that was refused, or that an older share of the record stands against. */
function isTrouble({ type, status }: { type: string; status: string }): boolean {
  return (type === "Accepted" && status === "False") || (type === "Conflict" && status === "True");
}

/** A leaf is as good as the best of its probes: healthy since the first of them is, anything else since the last. */
function leafSummary({ leaf, published, reason }: LeafDecision, probes: readonly ProbeStatus[]): LeafSummary {
  const verdict = bestVerdict(probes);
  if (verdict === undefined) return { leaf, published, reason };
  const decisive = probes.filter((probe) => probe.verdict === verdict);
  const times = decisive.map(({ since }) => since);
  const since = verdict === "Healthy" ? Math.min(...times) : Math.max(...times);
  return { leaf, published, reason, verdict, since, ...heldAgainst(decisive) };
}

/** Nothing while no region reports a fault. A recovering region reports none. */
function heldAgainst(probes: readonly ProbeStatus[]): Pick<LeafSummary, "against"> {
  const saying = probes.flatMap(unhealthyRegions);
  if (saying.length === 0) return {};
  const failed = saying.flatMap(({ observation }) =>
    observation !== undefined && outcomeOf(observation.reason) === "failed" ? [describeReason(observation)] : [],
  );
  const regions = [...new Set(saying.map(({ region }) => region))].sort();
  const of = new Set(probes.flatMap((probe) => probe.regions.map(({ region }) => region))).size;
  return { against: { regions, of, saw: [...new Set(failed)].sort() } };
}

type Says = RegionSummary["says"];
const WORST_FIRST: readonly Says[] = ["Unhealthy", "Silent", "Pending", "Healthy"];

function regionSummaries(probes: readonly ProbeStatus[]): RegionSummary[] {
  const words = probes.flatMap(({ regions }) => regions);
  const byRegion = Map.groupBy(words, ({ region }) => region);
  return [...byRegion]
    .map(([region, ofRegion]) => {
      const said = ofRegion.map(wordOf);
      const unhealthy = said.filter((one) => one === "Unhealthy").length;
      const says = WORST_FIRST.find((one) => said.includes(one)) ?? "Pending";
      return { region, says, unhealthy, probes: ofRegion.length };
    })
    .sort((a, b) => (a.region < b.region ? -1 : 1));
}

/** What a region says of one probe, for people: a silent one says nothing, whatever it said last. */
export function wordOf({ freshness, counts }: Pick<RegionStatus, "freshness" | "counts">): Says {
  return freshness === "Silent" ? "Silent" : counts.says;
}
