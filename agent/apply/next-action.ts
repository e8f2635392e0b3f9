import type { Kind } from "../kubernetes/kinds.ts";
import type { KubeObject, ObjectRef } from "../kubernetes/object.ts";
import type { Scope, Wanted } from "./desired.ts";
import { isLeftover, namesIn, nextStep, type Step } from "./diff.ts";
import { FOREIGN, type Outcome, type Write } from "./execute.ts";
import type { ObjectCache } from "./options.ts";
import { holdFor, isContested, type RetryState, uncontestedAtMs, wasDeleted } from "./retry-state.ts";

/** When to look again at an object that waits for a cache to fill or for another object to be written. */
const LOOK_AGAIN_MS = 1_000;

/** Why an object is not as desired. */
export interface WriteFailure {
  kind: Kind;
  ref: ObjectRef;
  /** `Foreign`: not ours. `Contested`: another writer changes it again and again. `Unavailable`: may succeed later. */
  reason: "Foreign" | "Contested" | "Refused" | "Unavailable";
  message: string;
  /** Whether it may succeed without a change by a person. It is retried in any case. */
  isRetryable: boolean;
}

/** One object that is desired, or was found. */
export interface Entry {
  key: string;
  kind: Kind;
  ref: ObjectRef;
  wanted: Wanted | undefined;
  retry: RetryState;
  /** Whether `flushed` waits for it while it is in the queue. */
  isAwaited: boolean;
  /** Whether times alone are to be written too, and when. */
  refresh: { atMs?: number } | undefined;
  failure: WriteFailure | undefined;
  /** A failure that is not logged, because it ends by itself within seconds. */
  contention: WriteFailure | undefined;
}

export interface ActionContext {
  cacheOf: (kind: Kind) => ObjectCache;
  isSynced: () => boolean;
  mayWrite: () => boolean;
  scopes: readonly Scope[];
  /** The desired objects that publish a DNS name. */
  publishersOf: (name: unknown) => readonly Entry[];
  nowMs: number;
  random: () => number;
  nextRefreshAtMs: () => number;
}

export type Action =
  | { type: "Settled"; failure?: WriteFailure }
  | {
      type: "Wait";
      untilMs: number;
      isAwaited: boolean;
      /** Whether to look again as soon as another object was written. */
      isGated?: boolean;
      failure?: WriteFailure;
      contention?: WriteFailure;
    }
  | { type: "Write"; step: Write };

/** What is to be done with an object now. */
export function nextAction(entry: Entry, context: ActionContext): Action {
  const { kind, wanted } = entry;
  const { nowMs, cacheOf } = context;
  const cache = cacheOf(kind);
  const again = { type: "Wait", untilMs: nowMs + LOOK_AGAIN_MS } as const;
  const obstacle = obstacleOf(kind, cache, context);
  if (obstacle !== undefined) return { ...again, isAwaited: true, failure: failureOf(entry, "Unavailable", obstacle) };
  const actual = cache.get(entry.ref);
  if (wanted !== undefined) return actionFor(entry, stepOf(entry, wanted, actual), actual, context);
  if (actual === undefined || !isLeftover(actual, context.scopes)) return { type: "Settled" };
  if (!context.isSynced() || isHandedOver(actual, entry, context)) return { ...again, isAwaited: false, isGated: true };
  return actionFor(entry, { type: "Delete", uid: actual.metadata.uid ?? "" }, actual, context);
}

/** An object that we deleted does not exist, even if the cache is behind and still has it. */
function stepOf({ retry }: Entry, wanted: Wanted, seen: KubeObject | undefined): Step | undefined {
  return nextStep(wanted, wasDeleted(retry, seen) ? undefined : seen);
}

function obstacleOf({ plural }: Kind, cache: ObjectCache, { mayWrite }: ActionContext): string | undefined {
  if (!mayWrite()) return "this replica does not lead (any more)";
  return cache.isSynced ? undefined : `the ${plural} have not been read yet`;
}

function actionFor(
  entry: Entry,
  step: Step | undefined,
  actual: KubeObject | undefined,
  context: ActionContext,
): Action {
  const { nowMs } = context;
  if (step === undefined) return settled(entry, nowMs);
  if (step.type === "Foreign") return { type: "Settled", failure: failureOf(entry, "Foreign", FOREIGN) };
  if (step.type === "Refused") return { type: "Settled", failure: failureOf(entry, "Refused", step.message) };
  if (step.type === "ApplyStatus" && step.timesOnly) {
    if (entry.refresh === undefined) return settled(entry, nowMs);
    entry.refresh.atMs ??= context.nextRefreshAtMs();
    if (entry.refresh.atMs > nowMs) return { type: "Wait", untilMs: entry.refresh.atMs, isAwaited: false };
  }
  const version = actual?.metadata.resourceVersion ?? "";
  const hold = holdFor(entry.retry, step, { version, nowMs, random: context.random() });
  if (hold === undefined) return { type: "Write", step };
  const failure = isContested(entry.retry, nowMs) ? contested(entry) : entry.failure;
  const isOvertaken = hold.type === "Overtaken";
  return {
    type: "Wait",
    untilMs: hold.untilMs,
    isAwaited: hold.type === "Failed" || isOvertaken,
    ...(failure && { failure }),
    ...(isOvertaken && { contention: overtaken(entry) }),
  };
}

/** A contested object stays reported as such until nobody has changed it for a while. */
function settled(entry: Entry, nowMs: number): Action {
  const { retry } = entry;
  if (!isContested(retry, nowMs)) return { type: "Settled" };
  return { type: "Wait", untilMs: uncontestedAtMs(retry), isAwaited: false, failure: contested(entry) };
}

/** Whether another desired object takes over names of this one and does not exist yet. This one stays until then. */
function isHandedOver(actual: KubeObject, entry: Entry, { publishersOf, cacheOf }: ActionContext): boolean {
  const successors = [...namesIn(actual)].flatMap((name) => publishersOf(name));
  return successors.some((successor) => {
    const { wanted, kind, ref } = successor;
    if (wanted === undefined || kind !== entry.kind) return false;
    const step = stepOf(successor, wanted, cacheOf(kind).get(ref));
    return step !== undefined && step.type !== "ApplyStatus";
  });
}

const contested = (entry: Entry) =>
  failureOf(
    entry,
    "Contested",
    "the written content is changed again and again, by another writer or by the API server itself; metadata.managedFields names the writer",
  );

const overtaken = (entry: Entry) =>
  failureOf(
    entry,
    "Unavailable",
    "another writer changes it faster than it can be written; find out by metadata.managedFields",
  );

/** The failure that an outcome stands for; undefined if the write is simply to be repeated. */
export function failureOfOutcome(entry: Entry, outcome: Outcome): WriteFailure | undefined {
  switch (outcome.type) {
    case "Done":
    case "Gone":
    case "Overtaken":
      return undefined;
    case "Failed":
      return failureOf(entry, "Unavailable", outcome.message);
    case "Foreign":
    case "Refused":
      return failureOf(entry, outcome.type, outcome.message);
  }
}

function failureOf({ kind, ref }: Entry, reason: WriteFailure["reason"], message: string): WriteFailure {
  return { kind, ref, reason, message, isRetryable: reason === "Unavailable" };
}
