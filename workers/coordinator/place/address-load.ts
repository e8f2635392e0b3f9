import type { Condition } from "../../../shared/model/condition.ts";
import {
  type AddressLoad,
  type AddressRequest,
  type CoordinatorState,
  type DesiredProbe,
  type Root,
  recordOf,
} from "../state.ts";
import { type Allocation, allocate, regularRate, slowed } from "./address-rate.ts";

/** The desired probes of some records, by probe id. */
export type DesiredByRoot = ReadonlyMap<Root, ReadonlyMap<string, DesiredProbe>>;

const MAX_REFUSALS_NAMED = 5;
const UNLIMITED: Allocation = { refused: new Map(), factor: 1, mayLook: true };

/**
 * Applies the desired probes of some records, and allocates the request limit of each affected leaf again. Returns
 * the other records whose admitted probes or refusal messages change. Shards whose confirmation intervals change are
 * assigned again.
 */
export function updateAddressLoads(state: CoordinatorState, requests: DesiredByRoot): Set<Root> {
  const leaves = new Set<string>();
  // A share that moved to another record takes its probe ids along, so removals come first.
  for (const [root, desired] of requests) for (const leaf of removeRequests(state, root, desired)) leaves.add(leaf);
  for (const [root, desired] of requests) for (const leaf of addRequests(state, root, desired)) leaves.add(leaf);
  const concerned = new Set<Root>();
  for (const leaf of leaves) for (const root of allocateAgain(state, leaf)) concerned.add(root);
  for (const root of requests.keys()) concerned.delete(root);
  return concerned;
}

/** Removes probes that are no longer desired. Returns their leaves. */
function removeRequests(state: CoordinatorState, root: Root, desired: ReadonlyMap<string, DesiredProbe>): string[] {
  const gone = [...root.leavesByProbe].filter(([id]) => !desired.has(id));
  for (const [id, leaf] of gone) {
    root.leavesByProbe.delete(id);
    state.addresses.get(leaf)?.requests.delete(id);
  }
  return gone.map(([, leaf]) => leaf);
}

/** Adds or replaces desired probes. Returns the leaves whose load changes. */
function addRequests(state: CoordinatorState, root: Root, desired: ReadonlyMap<string, DesiredProbe>): string[] {
  const seniorities = new Map(root.shares.map((share) => [recordOf(share), share.seniority]));
  return [...desired].flatMap(([id, probe]) => {
    const request = requestOf(root, probe, seniorities.get(recordOf(probe)) ?? 0);
    const load = loadOf(state, probe.leaf);
    const before = load.requests.get(id);
    if (before !== undefined && isSame(before, request)) return [];
    root.leavesByProbe.set(id, probe.leaf);
    load.requests.set(id, request);
    return [probe.leaf];
  });
}

function requestOf(root: Root, { id, check }: DesiredProbe, seniority: number): AddressRequest {
  const { regions, intervalMs, confirmIntervalMs } = check;
  return { id, root, seniority, regions: regions.length, intervalMs, confirmIntervalMs };
}

function isSame(a: AddressRequest, b: AddressRequest): boolean {
  const gist = ({ root: _, ...request }: AddressRequest) => JSON.stringify(request);
  return a.root === b.root && gist(a) === gist(b);
}

function loadOf(state: CoordinatorState, leaf: string): AddressLoad {
  const known = state.addresses.get(leaf);
  if (known !== undefined) return known;
  const load: AddressLoad = { requests: new Map(), allocation: UNLIMITED };
  state.addresses.set(leaf, load);
  return load;
}

/**
 * Allocates the limit of a leaf, older records first, so that a new record displaces no other. Returns the records
 * whose refusals change.
 */
function allocateAgain(state: CoordinatorState, leaf: string): Root[] {
  const load = state.addresses.get(leaf);
  if (load === undefined) return [];
  if (load.requests.size === 0) state.addresses.delete(leaf);
  const before = load.allocation;
  const inOrder = [...load.requests.values()].sort((a, b) => a.seniority - b.seniority || (a.id < b.id ? -1 : 1));
  load.allocation = allocate(inOrder, state.settings.maxRequestsPerAddress);
  const { refused, factor } = load.allocation;
  if (factor !== before.factor) {
    for (const { id } of inOrder) {
      const shard = state.probes.get(id)?.shard;
      if (shard !== undefined) state.changedShards.add(shard);
    }
  }
  return inOrder.filter(({ id }) => refused.get(id) !== before.refused.get(id)).map(({ root }) => root);
}

/**
 * The desired probes of a record that are admitted. The others are published unprobed, and the conditions of their
 * shares explain it. A condition has one message, even if other leaves of the share are unprobed for another reason.
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
    const refusals = (byRecord.get(recordOf(share)) ?? []).map((probe) => refusalOf(state, probe));
    if (refusals.length > 0) share.conditions = withRefusals(share.conditions, refusals);
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

function withRefusals(conditions: readonly Condition[], refusals: readonly string[]): Condition[] {
  const more = refusals.length > MAX_REFUSALS_NAMED ? [`and ${refusals.length - MAX_REFUSALS_NAMED} more`] : [];
  const remedy = "lengthen healthCheck.interval, name fewer regions, or have MAX_REQUESTS_PER_ADDRESS raised";
  const message = [...refusals.slice(0, MAX_REFUSALS_NAMED), ...more, remedy].join("; ");
  const other = conditions.find(({ type }) => type === "NotProbeable");
  const notProbeable: Condition =
    other === undefined
      ? {
          type: "NotProbeable",
          status: "True",
          reason: "TooManyRequestsToAddress",
          message: `published unprobed: ${message}`,
        }
      : { ...other, message: `${other.message}; ${message}` };
  return [...conditions.filter((condition) => condition !== other), notProbeable];
}

/** The interval of confirmations of a doubtful check, ms; undefined if the regular rounds are as frequent. */
export function confirmIntervalOf(state: CoordinatorState, { leaf, check }: DesiredProbe): number | undefined {
  return slowed(check, allocationOf(state, leaf).factor);
}

/** Whether regions may be asked to recheck the probe at once. */
export function mayRecheck(state: CoordinatorState, probe: DesiredProbe): boolean {
  return confirmIntervalOf(state, probe) !== undefined && allocationOf(state, probe.leaf).mayLook;
}

const allocationOf = (state: CoordinatorState, leaf: string) => state.addresses.get(leaf)?.allocation ?? UNLIMITED;
