import type { Condition } from "../../shared/model/condition.ts";
import type { ValidatedLine } from "./validate-lines.ts";

/**
 * The limit of a cluster's probes. All statuses of a cluster travel in one message of at most 32 MiB; beyond that no
 * decision would arrive. A status takes about 130 octets a region, and as much as four regions for the probe itself.
 * 10,000 addresses from nine regions fit.
 */
export const MAX_WEIGHT = 150_000;
const PROBE_WEIGHT = 4;

type Taken = Extract<ValidatedLine, { record: object }>;

/**
 * Refuses the records beyond the limits, each by name. `maxLeaves` comes from the settings. Records that the edge
 * already has come first, so that a new record never displaces another one.
 */
export function withinLimits(
  lines: readonly ValidatedLine[],
  maxLeaves: number,
  isHeld: (key: string) => boolean,
): ValidatedLine[] {
  const taken = lines.filter((line) => "record" in line);
  const inOrder = [...taken.filter(({ key }) => isHeld(key)), ...taken.filter(({ key }) => !isHeld(key))];
  const refused = new Map<ValidatedLine, Condition>();
  const sum = { weight: 0, leaves: 0 };
  for (const line of inOrder) {
    const refusal = refusalOf(line, sum, maxLeaves);
    if (refusal !== undefined) {
      refused.set(line, refusal);
      continue;
    }
    sum.weight += weightOf(line);
    sum.leaves += line.leaves;
  }
  return lines.map((line) => {
    const refusal = refused.get(line);
    return refusal === undefined ? line : { line: line.line, key: line.key ?? "", refused: refusal };
  });
}

/** Returns why a record exceeds the limits together with those before it. */
function refusalOf(line: Taken, sum: { weight: number; leaves: number }, maxLeaves: number): Condition | undefined {
  if (sum.leaves + line.leaves > maxLeaves) return tooManyLeaves(line.leaves, sum.leaves, maxLeaves);
  return sum.weight + weightOf(line) > MAX_WEIGHT ? TOO_MANY : undefined;
}

function weightOf({ record: { spec } }: Taken): number {
  const targets = spec.endpoints.reduce((count, { targets }) => count + targets.length, 0);
  return targets * (spec.healthCheck === undefined ? 1 : PROBE_WEIGHT + spec.healthCheck.regions.length);
}

const TOO_MANY: Condition = {
  type: "Accepted",
  status: "False",
  reason: "TooManyProbes",
  message: `spec.endpoints: the records of one cluster may have ${MAX_WEIGHT} together, each target counted by its regions and ${PROBE_WEIGHT}`,
};

function tooManyLeaves(leaves: number, others: number, maxLeaves: number): Condition {
  const message = `spec.endpoints: ${leaves} leaves beside the ${others} of other records must be at most ${maxLeaves} together, the edge's MAX_LEAVES_PER_CLUSTER`;
  return { type: "Accepted", status: "False", reason: "TooManyLeaves", message };
}
