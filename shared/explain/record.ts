import type { RecordDetail } from "../model/record-detail.ts";
import type { ProbeStatus } from "../model/status.ts";
import { endpointKey } from "../record/key.ts";
import type { Clock } from "./clock.ts";
import { explainLeaf } from "./leaf.ts";
import { against, counted, seenFrom } from "./seen.ts";

/** One step of a decision, with what it found. */
export interface Step {
  title: string;
  lines: string[];
}

/** The decision of one record in words, step by step, as design §3 takes them. */
export interface Explanation {
  rootHost: string;
  /** In one sentence: how many are published, and since when. */
  summary: string;
  steps: Step[];
}

/** Explains a record. The record's page and `vedette explain` both show what this says. */
export function explainRecord(record: RecordDetail, clock: Clock): Explanation {
  const steps = [
    { title: "Watched", lines: watched(record) },
    { title: "Seen", lines: record.probes.flatMap(seen) },
    { title: "Verdict", lines: record.probes.map((probe) => verdict(probe, clock)) },
    { title: "Decision", lines: record.leaves.map(({ leaf }) => explainLeaf(record, leaf, clock)) },
    { title: "Advice", lines: advice(record) },
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
  const total = `${leaves.length} ${leaves.length === 1 ? "address" : "addresses"}`;
  return `${rootHost}: ${published} of ${total} published; decided at ${clock(decidedAt)}`;
}

function watched({ shares, minPublished, whenSilent }: RecordDetail): string[] {
  return [
    ...shares.map(({ cluster, record }) => `${record} of cluster ${cluster}`),
    `minPublished ${minPublished}, whenSilent ${whenSilent}`,
  ];
}

function seen(probe: ProbeStatus): string[] {
  return probe.regions.map((region) => `${probe.leaf} from ${region.region}: ${seenFrom(region)}`);
}

function verdict(probe: ProbeStatus, clock: Clock): string {
  const { leaf, cluster, quorum, failureThreshold } = probe;
  const saying = `${against(probe).length} of ${counted(probe.regions.length, "region")} above ${counted(failureThreshold, "failure")}, ${quorum} needed`;
  return `${leaf} of ${cluster}: ${probe.verdict} since ${clock(probe.since)} (${saying})`;
}

function advice({ advisories, probes }: RecordDetail): string[] {
  const ofProbes = probes.flatMap(({ leaf, advisories: own }) =>
    own.map((one) => `${one.type}: ${leaf}: ${one.message}`),
  );
  return [...advisories.map((one) => `${one.type}: ${one.message}`), ...ofProbes];
}
