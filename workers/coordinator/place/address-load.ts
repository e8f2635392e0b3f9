import type { Condition } from "../../../shared/model/condition.ts";
import { type CoordinatorState, type DesiredProbe, type Root, recordOf } from "../state.ts";
import { type Allocation, allocate, type ProbeRate, regularRate, slowed } from "./address-rate.ts";

/** All probes of one leaf that records of this partition wish for, and what it may be asked. */
export interface AddressLoad {
  readonly wishes: Map<string, AddressRequest>;
  allotment: Allocation;
}

type AddressRequest = ProbeRate & { root: Root; seniority: number };
/** What each of some records wishes to have probed, by the probes' ids. */
export type DesiredByRoot = ReadonlyMap<Root, ReadonlyMap<string, DesiredProbe>>;

const MAX_REFUSALS_NAMED = 5;
const UNLIMITED: Allocation = { refused: new Map(), factor: 1, mayLook: true };

/**
 * Takes up what some records wish for now, and shares out anew what their leaves may be asked; only those are gone through.
 * Answers the other records for which that changes what is probed, or the words of a refusal. Shards are assigned again where
 * their probes are to confirm in other intervals.
 */
export function updateAddressLoads(state: CoordinatorState, wishes: DesiredByRoot): Set<Root> {
  const leaves = new Set<string>();
  // A share that has moved from one record to another takes the ids of its probes along.
  for (const [root, desired] of wishes) for (const leaf of removeRequests(state, root, desired)) leaves.add(leaf);
  for (const [root, desired] of wishes) for (const leaf of addRequests(state, root, desired)) leaves.add(leaf);
  const concerned = new Set<Root>();
  for (const leaf of leaves) for (const root of allocateAgain(state, leaf)) concerned.add(root);
  for (const root of wishes.keys()) concerned.delete(root);
  return concerned;
}

/** The leaves that are wished for no more. */
function removeRequests(state: CoordinatorState, root: Root, desired: ReadonlyMap<string, DesiredProbe>): string[] {
  const gone = [...root.leavesByProbe].filter(([id]) => !desired.has(id));
  for (const [id, leaf] of gone) {
    root.leavesByProbe.delete(id);
    state.addresses.get(leaf)?.wishes.delete(id);
  }
  return gone.map(([, leaf]) => leaf);
}

/** The leaves that another wish stands for than before. */
function addRequests(state: CoordinatorState, root: Root, desired: ReadonlyMap<string, DesiredProbe>): string[] {
  const seniorities = new Map(root.shares.map((share) => [recordOf(share), share.seniority]));
  return [...desired].flatMap(([id, probe]) => {
    const wish = requestOf(root, probe, seniorities.get(recordOf(probe)) ?? 0);
    const load = loadOf(state, probe.leaf);
    const before = load.wishes.get(id);
    if (before !== undefined && isSame(before, wish)) return [];
    root.leavesByProbe.set(id, probe.leaf);
    load.wishes.set(id, wish);
    return [probe.leaf];
  });
}

function requestOf(root: Root, { id, check }: DesiredProbe, seniority: number): AddressRequest {
  const { regions, intervalMs, confirmIntervalMs } = check;
  return { id, root, seniority, regions: regions.length, intervalMs, confirmIntervalMs };
}

function isSame(a: AddressRequest, b: AddressRequest): boolean {
  const gist = ({ root: _, ...wish }: AddressRequest) => JSON.stringify(wish);
  return a.root === b.root && gist(a) === gist(b);
}

function loadOf(state: CoordinatorState, leaf: string): AddressLoad {
  const known = state.addresses.get(leaf);
  if (known !== undefined) return known;
  const load: AddressLoad = { wishes: new Map(), allotment: UNLIMITED };
  state.addresses.set(leaf, load);
  return load;
}

/** Older records come first, so that one which is added takes no other's place. The records that it is another matter for. */
function allocateAgain(state: CoordinatorState, leaf: string): Root[] {
  const load = state.addresses.get(leaf);
  if (load === undefined) return [];
  if (load.wishes.size === 0) state.addresses.delete(leaf);
  const before = load.allotment;
  const inOrder = [...load.wishes.values()].sort((a, b) => a.seniority - b.seniority || (a.id < b.id ? -1 : 1));
  load.allotment = allocate(inOrder, state.settings.maxRequestsPerAddress);
  const { refused, factor } = load.allotment;
  if (factor !== before.factor) {
    for (const { id } of inOrder) {
      const shard = state.probes.get(id)?.shard;
      if (shard !== undefined) state.changedShards.add(shard);
    }
  }
  return inOrder.filter(({ id }) => refused.get(id) !== before.refused.get(id)).map(({ root }) => root);
}

/**
 * What of a record's wishes is probed. The others are published unprobed, and the conditions of their shares say why: a
 * condition has one message, also where other leaves of the share are not probed for another reason.
 */
export function admitted(
  state: CoordinatorState,
  root: Root,
  desired: ReadonlyMap<string, DesiredProbe>,
): Map<string, DesiredProbe> {
  const probes = [...desired.values()];
  const refused = probes.filter(({ id, leaf }) => refusedAt(state, leaf, id) !== undefined);
  const byRecord = Map.groupBy(refused, recordOf);
  for (const share of byRecord.size === 0 ? [] : root.shares) {
    const words = (byRecord.get(recordOf(share)) ?? []).map((probe) => refusalOf(state, probe));
    if (words.length > 0) share.conditions = withRefusals(share.conditions, words);
  }
  const isRefused = new Set(refused);
  return new Map([...desired].filter(([, probe]) => !isRefused.has(probe)));
}

function refusedAt(state: CoordinatorState, leaf: string, id: string): number | undefined {
  return allocationOf(state, leaf).refused.get(id);
}

function refusalOf(state: CoordinatorState, { id, leaf, check }: DesiredProbe): string {
  const limit = state.settings.maxRequestsPerAddress;
  const own = regularRate({ ...check, id, regions: check.regions.length });
  return `${leaf} would be asked more than ${limit} times a second: ${refusedAt(state, leaf, id)} times by older records, and ${Number(own.toPrecision(2))} times by this one (regions / interval)`;
}

function withRefusals(conditions: readonly Condition[], words: readonly string[]): Condition[] {
  const more = words.length > MAX_REFUSALS_NAMED ? [`and ${words.length - MAX_REFUSALS_NAMED} more`] : [];
  const remedy = "lengthen healthCheck.interval, name fewer regions, or have MAX_REQUESTS_PER_ADDRESS raised";
  const message = [...words.slice(0, MAX_REFUSALS_NAMED), ...more, remedy].join("; ");
  const other = conditions.find(({ type }) => type === "NotProbeable");
  const told: Condition =
    other === undefined
      ? {
          type: "NotProbeable",
          status: "True",
          reason: "TooManyRequestsToAddress",
          message: `published unprobed: ${message}`,
        }
      : { ...other, message: `${other.message}; ${message}` };
  return [...conditions.filter((condition) => condition !== other), told];
}

/** How long after a check that left a doubt the next one follows, in ms; undefined where its turn is soon enough. */
export function confirmIntervalOf(state: CoordinatorState, { leaf, check }: DesiredProbe): number | undefined {
  return slowed(check, allocationOf(state, leaf).factor);
}

/** Whether regions may be asked to look at the probe at once. */
export function mayRecheck(state: CoordinatorState, probe: DesiredProbe): boolean {
  return confirmIntervalOf(state, probe) !== undefined && allocationOf(state, probe.leaf).mayLook;
}

const allocationOf = (state: CoordinatorState, leaf: string) => state.addresses.get(leaf)?.allotment ?? UNLIMITED;
