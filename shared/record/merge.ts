import { type Endpoint, MAX_TARGETS } from "../model/endpoint.ts";
import type { MinPublished, WhenSilent } from "../model/record.ts";
import { endpointKey, inOrder } from "./key.ts";
import { minPublishedOf } from "./min-published.ts";
import { groupByName, ownersIn } from "./names.ts";
import { routingOf } from "./routing.ts";
import { readTree } from "./tree.ts";

/** One cluster's share of a root host. */
export type MergeInput = { endpoints: readonly Endpoint[]; minPublished: MinPublished; whenSilent: WhenSilent };

export type Merged = {
  /** Sorted, targets sorted and unique. */
  endpoints: Endpoint[];
  minPublished: MinPublished;
  whenSilent: WhenSilent;
  /** What was not taken, or not wholly: `share` is an index of the input. */
  conflicts: { share: number; message: string }[];
};

/**
 * One record from the shares of all clusters, the oldest first (docs/design/decision.md, shares). A and AAAA sets with one key
 * are joined, with the smallest TTL. For anything else the older share is in force, and the other gets a conflict.
 */
export function mergeShares(shares: readonly MergeInput[]): Merged {
  const held = new Map<string, Endpoint>();
  const conflicts = shares.flatMap((share, index) =>
    addShare(held, inOrder(share.endpoints)).map((message) => ({ share: index, message })),
  );
  const endpoints = inOrder([...held.values()]);
  return {
    endpoints,
    minPublished: largest(shares, countLeaves(endpoints)),
    whenSilent: shares.some(({ whenSilent }) => whenSilent === "Freeze") ? "Freeze" : "Publish",
    conflicts,
  };
}

/** Adds one share to what older ones hold; the messages of its conflicts. */
function addShare(held: Map<string, Endpoint>, endpoints: readonly Endpoint[]): string[] {
  const added = endpoints.filter((endpoint) => !held.has(endpointKey(endpoint)));
  const fitsWhole = readTree([...held.values(), ...added]).ok;
  return endpoints.flatMap((endpoint) => {
    const key = endpointKey(endpoint);
    const older = held.get(key);
    const { taken, conflict } =
      older === undefined ? addNew([...held.values()], endpoint, fitsWhole) : join(older, endpoint);
    if (taken !== undefined) held.set(key, taken);
    return conflict === undefined ? [] : [`${key}: ${conflict}`];
  });
}

type Added = { taken?: Endpoint; conflict?: string };

function addNew(held: readonly Endpoint[], endpoint: Endpoint, fitsWhole: boolean): Added {
  const rival = sameGeography(held, endpoint);
  if (rival !== undefined) return { conflict: `an older share serves this geography as ${endpointKey(rival)}` };
  if (fitsWhole) return { taken: endpoint };
  const reading = readTree([...around(held, endpoint), endpoint]);
  if (reading.ok) return { taken: endpoint };
  return { conflict: `does not go with an older share: ${reading.errors.map(({ rule }) => rule).join("; ")}` };
}

/** What an endpoint could be at odds with: its own name, and the names on a way down from it. */
function around(held: readonly Endpoint[], endpoint: Endpoint): Endpoint[] {
  const byName = groupByName([...held, endpoint]);
  const ownerOf = ownersIn(byName);
  const names = new Set([endpoint.dnsName]);
  for (const name of names) {
    for (const { targets } of byName.get(name) ?? []) {
      for (const owner of targets.map(ownerOf)) if (owner !== undefined) names.add(owner);
    }
  }
  return held.filter(({ dnsName }) => names.has(dnsName));
}

/** Two sets for one geography, the default among them, would overwrite each other for ever. */
function sameGeography(held: readonly Endpoint[], endpoint: Endpoint): Endpoint | undefined {
  const routing = routingOf(endpoint);
  if (routing.kind !== "Geo") return undefined;
  return held.find((other) => {
    if (other.dnsName !== endpoint.dnsName || other.recordType !== endpoint.recordType) return false;
    const theirs = routingOf(other);
    return theirs.kind === "Geo" && theirs.code === routing.code;
  });
}

/** Two shares of one record set. Labels are each writer's own notes: the older ones stay, without a conflict. */
function join(older: Endpoint, newer: Endpoint): Added {
  const targets = [...new Set([...older.targets, ...newer.targets])];
  if (older.recordType === "CNAME" && targets.length > 1) return { conflict: "an older share has another target" };
  if (targets.length > MAX_TARGETS) return { conflict: `would have more than ${MAX_TARGETS} targets` };
  const taken = { ...older, targets, recordTTL: Math.min(older.recordTTL, newer.recordTTL) };
  const isAlike = propertiesOf(older) === propertiesOf(newer);
  return isAlike ? { taken } : { taken, conflict: "an older share has other providerSpecific values, which hold" };
}

function propertiesOf(endpoint: Endpoint): string {
  return JSON.stringify((endpoint.providerSpecific ?? []).map(({ name, value }) => [name, value]).sort());
}

function countLeaves(endpoints: readonly Endpoint[]): number {
  const reading = readTree(endpoints);
  return reading.ok ? reading.tree.leaves.length : 0;
}

/** Numbers and percentages are compared by what they mean for this many leaves; a percentage wins a tie, as it grows. */
function largest(shares: readonly MergeInput[], leaves: number): MinPublished {
  const weigh = (value: MinPublished) => minPublishedOf(value, leaves) * 2 + (typeof value === "string" ? 1 : 0);
  return shares
    .map(({ minPublished }) => minPublished)
    .reduce<MinPublished>((most, value) => (weigh(value) > weigh(most) ? value : most), 1);
}
