import type { Condition } from "../../shared/model/condition.ts";
import type { JudgedLine } from "./judge.ts";

/**
 * What a cluster may have watched. A status has about as many octets for the probe itself as for four regions, some 130
 * each, and all of a cluster's go in one message of at most 32 MiB: beyond that no decision would get through any more.
 * 10,000 addresses seen from nine regions fit, with room.
 */
export const MAX_WEIGHT = 150_000;
const PROBE_WEIGHT = 4;

type Taken = Extract<JudgedLine, { record: object }>;

/**
 * Refuses the records that are too many together, each by its name. Those the edge holds come first, so that a record
 * which is added takes no other's place.
 */
export function withinLimits(lines: readonly JudgedLine[], isHeld: (key: string) => boolean): JudgedLine[] {
  const taken = lines.filter((line) => "record" in line);
  const inOrder = [...taken.filter(({ key }) => isHeld(key)), ...taken.filter(({ key }) => !isHeld(key))];
  const tooMany = new Set<JudgedLine>();
  let sum = 0;
  for (const line of inOrder) {
    const weight = weightOf(line);
    if (sum + weight > MAX_WEIGHT) tooMany.add(line);
    else sum += weight;
  }
  return lines.map((line) => (tooMany.has(line) ? { line: line.line, key: line.key ?? "", refused: TOO_MANY } : line));
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
