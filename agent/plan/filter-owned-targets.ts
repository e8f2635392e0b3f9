import type { Endpoint } from "../../shared/model/endpoint.ts";
import { endpointKey } from "../../shared/record/key.ts";
import type { DeliveredRecord } from "../edge/delivered.ts";

/** Tells whether a leaf of a decision may be another cluster's. */
export type IsForeign = (leaf: string) => boolean;

/**
 * Whose leaves a decision holds, by its probes: another cluster's is what another cluster probes, and, where others have
 * shares, what this one does not. Undefined where only this cluster has shares, so that everything is its own.
 */
export function foreignLeaves(delivered: DeliveredRecord | undefined, cluster: string): IsForeign | undefined {
  if (delivered === undefined || delivered.shares.every((share) => share.cluster === cluster)) return undefined;
  const leavesOf = (probes: DeliveredRecord["probes"]) => new Set(probes.map(({ leaf }) => leaf));
  const ours = leavesOf(delivered.probes.filter((probe) => probe.cluster === cluster));
  const theirs = leavesOf(delivered.probes.filter((probe) => probe.cluster !== cluster));
  return (leaf) => theirs.has(leaf) || !ours.has(leaf);
}

/**
 * The endpoints without what this cluster's records no longer have (docs/design/agent.md, contact and fallback), and
 * without what then leads nowhere. What may be another cluster's stays. A geographic default set may have the targets
 * of another set of its name. They are its own as long as any set of that name and type has them.
 */
export function leaveOut(endpoints: readonly Endpoint[], own: readonly Endpoint[], isForeign?: IsForeign): Endpoint[] {
  const names = new Set(endpoints.map(({ dnsName }) => dnsName));
  const ownKeys = new Set(own.map(endpointKey));
  const ownTargets = new Set(own.flatMap((endpoint) => endpoint.targets.map((target) => edge(endpoint, target))));
  const stays = (endpoint: Endpoint, target: string) =>
    (ownKeys.has(endpointKey(endpoint)) && ownTargets.has(edge(endpoint, target))) || (isForeign?.(target) ?? false);
  return withoutDeadEnds(
    endpoints.map((endpoint) => ({
      ...endpoint,
      targets: endpoint.targets.filter((target) => stays(endpoint, target)),
    })),
    names,
  );
}

/** The endpoints with these leaves only, and without what then leads nowhere. */
export function onlyLeaves(endpoints: readonly Endpoint[], leaves: ReadonlySet<string>): Endpoint[] {
  const names = new Set(endpoints.map(({ dnsName }) => dnsName));
  const stays = (target: string) => names.has(target) || leaves.has(target);
  return withoutDeadEnds(
    endpoints.map((endpoint) => ({ ...endpoint, targets: endpoint.targets.filter(stays) })),
    names,
  );
}

const edge = ({ dnsName, recordType }: Endpoint, target: string) => `${dnsName} ${recordType} ${target}`;

/** `names` are the names that were endpoints. A target that was an endpoint and no longer is one is a dead end. */
function withoutDeadEnds(endpoints: readonly Endpoint[], names: ReadonlySet<string>): Endpoint[] {
  const alive = endpoints.filter(({ targets }) => targets.length > 0);
  const left = new Set(alive.map(({ dnsName }) => dnsName));
  const isDead = (target: string) => names.has(target) && !left.has(target);
  if (alive.length === endpoints.length && !alive.some(({ targets }) => targets.some(isDead))) return alive;
  const pruned = alive.map((endpoint) => ({
    ...endpoint,
    targets: endpoint.targets.filter((target) => !isDead(target)),
  }));
  return withoutDeadEnds(pruned, names);
}
