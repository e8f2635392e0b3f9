import type { RecordDetail } from "../model/record-detail.ts";
import type { ProbeStatus } from "../model/status.ts";
import { endpointKey } from "../record/key.ts";
import type { Clock } from "./clock.ts";
import { explainLeaf } from "./leaf.ts";
import { counted, describeRegion, unhealthyRegions } from "./region-views.ts";
import { formatTimestamps } from "./timestamps.ts";

/** One step of a decision with its findings. */
export interface Step {
  title: string;
  lines: string[];
}

/** The decision of one record, step by step, in the order of docs/design/decision.md. */
export interface Explanation {
  rootHost: string;
  /** One sentence: how many leaves are published, and since when. */
  summary: string;
  steps: Step[];
}

/** Explains a record. The record's page and `vedette explain` both show this. */
export function explainRecord(record: RecordDetail, clock: Clock): Explanation {
  const steps = [
    { title: "Watched", lines: watched(record) },
    { title: "Seen", lines: record.probes.flatMap((probe) => seen(probe, record)) },
    { title: "Verdict", lines: record.probes.map((probe) => verdict(probe, clock)) },
    { title: "Decision", lines: record.leaves.map(({ leaf }) => explainLeaf(record, leaf, clock)) },
    { title: "Advice", lines: advice(record, clock) },
    { title: "In DNS", lines: record.endpoints.map((one) => `${endpointKey(one)}: ${one.targets.join(", ")}`) },
  ];
  return {
    rootHost: record.rootHost,
    summary: summaryOf(record, clock),
    steps: steps.filter(({ lines }) => lines.length > 0),
  };
}

function summaryOf({ rootHost, leaves, decidedAt }: RecordDetail, clock: Clock): string {
  if (leaves.length === 0) return `${rootHost}: nothing was decided yet`;
  const published = leaves.filter((leaf) => leaf.published).length;
  const total = counted(leaves.length, "address");
  return `${rootHost}: ${published} of ${total} published; decided at ${clock(decidedAt)}`;
}

function watched({ shares, minPublished, whenSilent }: RecordDetail): string[] {
  return [
    ...shares.map(({ cluster, record }) => `${record} of cluster ${cluster}`),
    `minPublished ${minPublished}, whenSilent ${whenSilent}`,
  ];
}

/** Regions with the same view share a line, because a record may have hundreds of them. */
function seen(probe: ProbeStatus, { shares }: RecordDetail): string[] {
  const whose = shares.length > 1 ? ` of ${probe.cluster}` : "";
  return [...Map.groupBy(probe.regions, describeRegion)].map(
    ([what, regions]) => `${probe.leaf}${whose} from ${regions.map(({ region }) => region).join(", ")}: ${what}`,
  );
}

function verdict(probe: ProbeStatus, clock: Clock): string {
  const { leaf, cluster, quorum, failureThreshold, resting } = probe;
  const share = `${unhealthyRegions(probe).length} of ${counted(probe.regions.length, "region")} against it, ${quorum} needed`;
  const why =
    resting === undefined ? `${share}; threshold ${counted(failureThreshold, "failure")} in a row` : "it rests";
  return `${leaf} of ${cluster}: ${probe.verdict} since ${clock(probe.since)} (${why})`;
}

function advice({ advisories, probes }: RecordDetail, clock: Clock): string[] {
  const ofProbes = probes.flatMap(({ leaf, advisories: own }) =>
    own.map((one) => `${one.type}: ${leaf}: ${one.message}`),
  );
  return [...advisories.map((one) => `${one.type}: ${one.message}`), ...ofProbes].map((line) =>
    formatTimestamps(line, clock),
  );
}
