import type { Condition } from "../../shared/model/condition.ts";

const REMEMBERED = 5;
const ALTERNATION_SHOWN_MS = 10 * 60_000;

/**
 * Agent instances that pushed under one cluster, newest first. `returnedAt` is when a former one pushed again, Unix ms.
 */
export type Instances = { instance: string; returnedAt?: number }[];

/**
 * Records which agent instance pushed. A restart brings a new name. A name that returns after another one means that
 * two agents run under one cluster (docs/design/interfaces.md, snapshot).
 */
export function noteInstance(before: Readonly<Instances>, instance: string, nowMs: number): Instances {
  if (before[0]?.instance === instance) return [...before];
  const returned = before.some((other) => other.instance === instance);
  const rest = before.filter((other) => other.instance !== instance);
  return [returned ? { instance, returnedAt: nowMs } : { instance }, ...rest].slice(0, REMEMBERED);
}

/** `DuplicateAgent` while two agents have alternated within the last ten minutes. */
export function duplicateAgent(instances: Readonly<Instances>, nowMs: number): Condition | undefined {
  const recent = instances.filter(
    ({ returnedAt }) => returnedAt !== undefined && nowMs - returnedAt < ALTERNATION_SHOWN_MS,
  );
  if (recent.length === 0) return undefined;
  const names = instances.slice(0, 2).map(({ instance }) => instance);
  return {
    type: "DuplicateAgent",
    status: "True",
    reason: "InstancesAlternate",
    message: `Agents push in turn under this cluster's name: ${names.join(" and ")}. Stop all but one.`,
  };
}
