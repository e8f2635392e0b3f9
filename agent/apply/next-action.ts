import type { Kind } from "../kubernetes/kinds.ts";
import type { KubeObject, ObjectRef } from "../kubernetes/object.ts";
import type { Scope, Wanted } from "./desired.ts";
import { isLeftover, namesIn, nextStep, type Step } from "./diff.ts";
import { FOREIGN, type Outcome, type Write } from "./execute.ts";
import type { ObjectCache } from "./ports.ts";
import { calmAtMs, holdOf, isContested, type RetryState, wasDeleted } from "./retry-state.ts";

/** How soon something is looked at again that waits for others: caches that fill, or an object that has to come first. */
const LOOK_AGAIN_MS = 1_000;

/** Why an object is not as wanted. */
export interface Trouble {
  kind: Kind;
  ref: ObjectRef;
  /** `Foreign`: not ours. `Contested`: another writer changes it again and again. `Unavailable`: may succeed later. */
  reason: "Foreign" | "Contested" | "Refused" | "Unavailable";
  message: string;
  /** Whether it may come right by itself; it is tried again in any case. */
  isRetryable: boolean;
}

/** One object that is wanted, or was found. */
export interface Entry {
  kind: Kind;
  ref: ObjectRef;
  wanted: Wanted | undefined;
  patience: RetryState;
  /** When it is to be looked at, by a clock that only goes forward; undefined where nothing is to be done. */
  dueAtMs: number | undefined;
  /** Whether `flushed` waits for it. */
  isAwaited: boolean;
  isBusy: boolean;
  /** How often it was looked at. */
  looks: number;
  /** Whether times alone are to be written too, and when. */
  refresh: { atMs?: number } | undefined;
  trouble: Trouble | undefined;
  /** What it waits for of which there is no word in the log, since it comes right within seconds. */
  haste: Trouble | undefined;
}

/** What an entry is judged by. */
export interface World {
  cacheOf: (kind: Kind) => ObjectCache;
  isSynced: () => boolean;
  mayWrite: () => boolean;
  scopes: readonly Scope[];
  /** Those that are wanted with a DNS name. */
  publishersOf: (name: unknown) => readonly Entry[];
  nowMs: number;
  random: () => number;
  nextRefreshAtMs: () => number;
}

export type Judgement =
  | { type: "Settled"; trouble?: Trouble }
  | { type: "Wait"; untilMs: number; isAwaited: boolean; isGated?: boolean; trouble?: Trouble; haste?: Trouble }
  | { type: "Write"; step: Write };

/** What is to become of an entry now. */
export function judge(entry: Entry, world: World): Judgement {
  const { kind, wanted } = entry;
  const { nowMs, cacheOf } = world;
  const cache = cacheOf(kind);
  const again = { type: "Wait", untilMs: nowMs + LOOK_AGAIN_MS } as const;
  const obstacle = obstacleOf(kind, cache, world);
  if (obstacle !== undefined) return { ...again, isAwaited: true, trouble: troubleOf(entry, "Unavailable", obstacle) };
  const actual = cache.get(entry.ref);
  if (wanted !== undefined) return judgeStep(entry, stepOf(entry, wanted, actual), actual, world);
  if (actual === undefined || !isLeftover(actual, world.scopes)) return { type: "Settled" };
  if (!world.isSynced() || isHandedOver(actual, entry, world)) return { ...again, isAwaited: false, isGated: true };
  return judgeStep(entry, { type: "Delete", uid: actual.metadata.uid ?? "" }, actual, world);
}

/** What we deleted is not there, whatever a cache says that is behind. */
function stepOf({ patience }: Entry, wanted: Wanted, seen: KubeObject | undefined): Step | undefined {
  return nextStep(wanted, wasDeleted(patience, seen) ? undefined : seen);
}

function obstacleOf({ plural }: Kind, cache: ObjectCache, { mayWrite }: World): string | undefined {
  if (!mayWrite()) return "this replica does not lead (any more)";
  return cache.isSynced ? undefined : `the ${plural} have not been read yet`;
}

function judgeStep(entry: Entry, step: Step | undefined, actual: KubeObject | undefined, world: World): Judgement {
  const { nowMs } = world;
  if (step === undefined) return settled(entry, nowMs);
  if (step.type === "Foreign") return { type: "Settled", trouble: troubleOf(entry, "Foreign", FOREIGN) };
  if (step.type === "Refused") return { type: "Settled", trouble: troubleOf(entry, "Refused", step.message) };
  if (step.type === "ApplyStatus" && step.timesOnly) {
    if (entry.refresh === undefined) return settled(entry, nowMs);
    entry.refresh.atMs ??= world.nextRefreshAtMs();
    if (entry.refresh.atMs > nowMs) return { type: "Wait", untilMs: entry.refresh.atMs, isAwaited: false };
  }
  const version = actual?.metadata.resourceVersion ?? "";
  const hold = holdOf(entry.patience, step, { version, nowMs, random: world.random() });
  if (hold === undefined) return { type: "Write", step };
  const trouble = isContested(entry.patience, nowMs) ? contested(entry) : entry.trouble;
  const isOvertaken = hold.type === "Overtaken";
  const isAwaited = hold.type === "Failed" || isOvertaken;
  const told = { ...(trouble && { trouble }), ...(isOvertaken && { haste: overtaken(entry) }) };
  return { type: "Wait", untilMs: hold.untilMs, isAwaited, ...told };
}

/** One that was fought over counts as such until it has been left alone for a while. */
function settled(entry: Entry, nowMs: number): Judgement {
  const { patience } = entry;
  if (!isContested(patience, nowMs)) return { type: "Settled" };
  return { type: "Wait", untilMs: calmAtMs(patience), isAwaited: false, trouble: contested(entry) };
}

/** Whether another object that is wanted and not there yet is to take over names from this one, which has to stay until then. */
function isHandedOver(actual: KubeObject, entry: Entry, { publishersOf, cacheOf }: World): boolean {
  const heirs = [...namesIn(actual)].flatMap((name) => publishersOf(name));
  return heirs.some((heir) => {
    const { wanted, kind, ref } = heir;
    if (wanted === undefined || kind !== entry.kind) return false;
    const step = stepOf(heir, wanted, cacheOf(kind).get(ref));
    return step !== undefined && step.type !== "ApplyStatus";
  });
}

const contested = (entry: Entry) =>
  troubleOf(
    entry,
    "Contested",
    "what is written is changed again and again right afterwards: by another writer, or because the API server does not keep it; find out by metadata.managedFields",
  );

const overtaken = (entry: Entry) =>
  troubleOf(
    entry,
    "Unavailable",
    "another writer changes it faster than it can be written; find out by metadata.managedFields",
  );

/** The trouble that an outcome stands for; undefined where there is none. */
export function troubleOfOutcome(entry: Entry, outcome: Outcome): Trouble | undefined {
  switch (outcome.type) {
    case "Done":
    case "Gone":
    case "Overtaken":
      return undefined;
    case "Failed":
      return troubleOf(entry, "Unavailable", outcome.message);
    case "Foreign":
    case "Refused":
      return troubleOf(entry, outcome.type, outcome.message);
  }
}

function troubleOf({ kind, ref }: Entry, reason: Trouble["reason"], message: string): Trouble {
  return { kind, ref, reason, message, isRetryable: reason === "Unavailable" };
}
