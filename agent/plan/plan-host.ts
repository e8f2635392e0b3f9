import type { Endpoint } from "../../shared/model/endpoint.ts";
import { type Merged, type MergeInput, mergeShares } from "../../shared/record/merge.ts";
import { groupByName, reachableFrom } from "../../shared/record/names.ts";
import { readTree } from "../../shared/record/tree.ts";
import type { DeliveredRecord } from "../edge/delivered.ts";
import { foreignLeaves, type IsForeign, leaveOut, onlyLeaves } from "./filter-owned-targets.ts";

/** What an agent knows of one root host. */
export interface HostInput {
  cluster: string;
  /** This cluster's shares of the host as they are now; at least one. */
  own: readonly MergeInput[];
  /** The newest decision of the edge, where there ever was one. */
  delivered: DeliveredRecord | undefined;
  /** What is in DNS; undefined where nobody has decided that yet. */
  served: readonly Endpoint[] | undefined;
  /** Whether the edge was silent for `edgeStaleAfter`. */
  silent: boolean;
}

/**
 * Why a host is served as it is. `Decision`: the edge said so. `Fallback`: the edge is silent, and all is published.
 * `Frozen`: it is silent, and its last word holds. `Held`: it has not said anything of the host, and what was served
 * stays. `Undecided`: nobody has said anything yet.
 */
export type Basis = "Decision" | "Fallback" | "Frozen" | "Held" | "Undecided";

export interface HostPlan {
  basis: Basis;
  /** What is to be in DNS; undefined with `Undecided`. */
  endpoints: Endpoint[] | undefined;
}

/**
 * Plans the DNS content of one root host (docs/design/agent.md, contact and fallback): the whole decision, never only
 * this cluster's share.
 */
export function planHost(input: HostInput): HostPlan {
  const own = mergeShares(input.own);
  const isForeign = foreignLeaves(input.delivered, input.cluster);
  const plan = input.silent ? planSilent(input, own, isForeign) : planContact(input, own.endpoints, isForeign);
  if (plan.endpoints === undefined) return plan;
  return { ...plan, endpoints: neverToNothing(plan.endpoints, input.served ?? [], own.endpoints, isForeign) };
}

/**
 * A decision may share no target with the records of a host that was never served. Then it is about other records, for
 * example because a record was created again under its name. The current records are undecided.
 */
function planContact({ delivered, served }: HostInput, own: readonly Endpoint[], isForeign?: IsForeign): HostPlan {
  if (delivered !== undefined) {
    const endpoints = leaveOut(delivered.endpoints, own, isForeign);
    const isAboutOthers = served === undefined && endpoints.length === 0 && delivered.endpoints.length > 0;
    return isAboutOthers ? { basis: "Undecided", endpoints: undefined } : { basis: "Decision", endpoints };
  }
  if (served === undefined) return { basis: "Undecided", endpoints: undefined };
  return { basis: "Held", endpoints: leaveOut(served, own) };
}

/**
 * Plans the DNS content while the edge is silent. `Freeze` without a decision and without anything in DNS publishes
 * all. Otherwise an agent that starts while the edge is away would answer that its records do not exist.
 */
function planSilent({ delivered, served, own: shares }: HostInput, own: Merged, isForeign?: IsForeign): HostPlan {
  const last = delivered?.endpoints ?? served;
  const whenSilent = isForeign !== undefined && delivered?.whenSilent === "Freeze" ? "Freeze" : own.whenSilent;
  if (whenSilent === "Freeze" && last !== undefined) {
    const endpoints = leaveOut(last, own.endpoints, isForeign);
    const isAboutOthers = served === undefined && endpoints.length === 0 && last.length > 0;
    return isAboutOthers ? { basis: "Fallback", endpoints: own.endpoints } : { basis: "Frozen", endpoints };
  }
  if (isForeign === undefined || last === undefined) return { basis: "Fallback", endpoints: own.endpoints };
  const decided = { ...own, endpoints: leaveOut(last, own.endpoints, isForeign) };
  return { basis: "Fallback", endpoints: mergeShares([decided, ...shares]).endpoints };
}

/**
 * The answer never becomes empty while this cluster's records have leaves for it. This holds for the host, and for each
 * of its names that no other name points to. The first non-empty fallback is used. (1) What was served, limited to the
 * current records. (2) The current records, limited to served targets: a set may only have another identifier. (3) All
 * current records, as in step 3 of the decision.
 */
function neverToNothing(
  next: Endpoint[],
  served: readonly Endpoint[],
  own: readonly Endpoint[],
  isForeign?: IsForeign,
): Endpoint[] {
  const tree = readTree(own);
  const roots = tree.ok ? tree.tree.roots : [];
  const lost = roots.filter((root) => hasName(served, root) && !hasName(next, root));
  const servedTargets = new Set(served.flatMap(({ targets }) => targets));
  const substitutes = [leaveOut(served, own, isForeign), onlyLeaves(own, servedTargets), own];
  const returned = lost.map((root) => below(root, substitutes.find((endpoints) => hasName(endpoints, root)) ?? own));
  if (lost.length > 0) return union([next, ...returned]);
  const isLost = next.length === 0 && served.length > 0;
  return isLost ? [...(substitutes.find((endpoints) => endpoints.length > 0) ?? own)] : next;
}

const hasName = (endpoints: readonly Endpoint[], name: string) => endpoints.some(({ dnsName }) => dnsName === name);

function below(root: string, endpoints: readonly Endpoint[]): Endpoint[] {
  const reached = reachableFrom(root, groupByName(endpoints));
  return endpoints.filter(({ dnsName }) => reached.has(dnsName));
}

function union(parts: readonly (readonly Endpoint[])[]): Endpoint[] {
  const shares = parts.map((endpoints): MergeInput => ({ endpoints, minPublished: 1, whenSilent: "Publish" }));
  return mergeShares(shares).endpoints;
}
