import { clockIn } from "../shared/explain/clock.ts";
import { explainDecision } from "../shared/explain/leaf.ts";
import type { RecordStatus } from "../shared/model/status.ts";

const TLS = /^(TLS|Certificate)/;

/** Why a leaf is in DNS or not, in one sentence, and what is wrong with its certificate: until when, for which names, by whom. */
export function why(record: RecordStatus, leaf: string, nowMs: number): string {
  const decision = record.leaves.find((candidate) => candidate.leaf === leaf);
  if (decision === undefined) return "no longer in the record";
  return [explainDecision(record, decision, clockIn(nowMs)), ...particularsOf(record, leaf)].join(". ");
}

function particularsOf({ probes }: RecordStatus, leaf: string): string[] {
  const against = probes.flatMap((probe) =>
    probe.leaf === leaf ? probe.regions.filter(({ counts }) => counts.says === "Unhealthy") : [],
  );
  const messages = against.flatMap(({ observation }) =>
    observation?.message !== undefined && TLS.test(observation.reason) ? [observation.message] : [],
  );
  return [...new Set(messages)].sort();
}
