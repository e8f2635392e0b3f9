import { digest } from "../../shared/hash.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import { backoffMs } from "../runtime/backoff.ts";
import { textWithoutTimes } from "./compare.ts";
import type { Outcome, Write } from "./execute.ts";

/** An object that nobody else changed for so long after our write is not contested. */
const CALM_MS = 120_000;
/** An object that is changed so often right after our write is reported as contested. */
const CONTESTS_TO_REPORT = 3;
const REFUSED_MS = 300_000;
/** How soon the cache has to show a deletion. It may be cut off from the API server. */
const UNSEEN_MS = 60_000;
/** Overtaken writes in a row that are retried at once. After that a busy writer would set our pace. */
const OVERTAKEN_AT_ONCE = 4;
/** After that the delay doubles so often, to 4 s: a busy writer must not keep a change out of DNS for long. */
const OVERTAKEN_DOUBLINGS = 3;
/** A cache that holds our own objects only does not show that a foreign object went. */
const FOREIGN_MS = 60_000;

const FIXED_WAIT_MS: Partial<Record<Outcome["type"], number>> = { Refused: REFUSED_MS, Foreign: FOREIGN_MS };

type Part = "Main" | "Status" | "Delete";

/** Why an object must not be written before a time. */
interface Hold {
  type: Outcome["type"] | "Contested" | "Unseen";
  untilMs: number;
  /** What was to be written, and over which version of the object. */
  content: string;
  version: string;
}

/** The history of one object's writes. Times in ms of a clock that never goes back. */
export interface RetryState {
  /** In a row. Overtaken writes are counted apart: they say nothing about how long the API server will be away. */
  failures: number;
  overtaken: number;
  contests: number;
  hold?: Hold;
  written: Partial<Record<Part, { content: string; atMs: number; isUndone: boolean }>>;
}

export const newRetryState = (): RetryState => ({ failures: 0, overtaken: 0, contests: 0, written: {} });

const partOf = ({ type }: Write): Part => (type === "Delete" ? "Delete" : type === "ApplyStatus" ? "Status" : "Main");

function contentOf(step: Write): string {
  if (step.type === "Delete") return step.uid;
  const { metadata, spec, status } = step.object;
  const { uid: _, resourceVersion: __, ...rest } = metadata;
  return digest(textWithoutTimes([rest, spec, status]));
}

interface Now {
  /** The resourceVersion of the object in the cache; empty if it has none. */
  version: string;
  nowMs: number;
  random: number;
}

/** Why and until when the step has to wait; undefined if it may be done now. Records if another writer undid our last write. */
export function holdFor(state: RetryState, step: Write, now: Now): Hold | undefined {
  const { version, nowMs } = now;
  const content = contentOf(step);
  recordUndone(state, step, content, now);
  const { hold } = state;
  return hold === undefined || hold.untilMs <= nowMs || isLifted(state, content, version) ? undefined : hold;
}

function isLifted({ hold, overtaken }: RetryState, content: string, version: string): boolean {
  if (hold === undefined) return true;
  if (hold.type === "Failed") return false;
  if (hold.content !== content) return true;
  if (hold.version === version) return false;
  const isAtOnce = hold.type === "Gone" || (hold.type === "Overtaken" && overtaken <= OVERTAKEN_AT_ONCE);
  return hold.type === "Foreign" || isAtOnce;
}

function recordUndone(state: RetryState, step: Write, content: string, { version, nowMs, random }: Now): void {
  const written = state.written[partOf(step)];
  if (written === undefined || written.isUndone) return;
  const isSame = written.content === content;
  if (step.type === "Delete" && isSame) {
    state.hold = { type: "Unseen", untilMs: written.atMs + UNSEEN_MS, content, version };
    return;
  }
  if (step.type === "ApplyStatus" && step.timesOnly) return;
  if (step.type !== "Delete" && !isSame) return;
  written.isUndone = true;
  if (nowMs - written.atMs >= CALM_MS) {
    state.contests = 0;
    return;
  }
  state.contests += 1;
  state.hold = { type: "Contested", untilMs: nowMs + backoffMs(state.contests, random), content, version };
}

/** Whether we deleted this very object. */
export function wasDeleted({ written }: RetryState, object: KubeObject | undefined): boolean {
  return written.Delete !== undefined && written.Delete.content === object?.metadata.uid;
}

/** Whether another writer undoes what we write. */
export function isContested({ contests, written }: RetryState, nowMs: number): boolean {
  return contests >= CONTESTS_TO_REPORT && nowMs < uncontestedAtMs({ written });
}

/** When the object counts as not contested, if nobody else changes it. */
export function uncontestedAtMs({ written }: Pick<RetryState, "written">): number {
  return Math.max(...Object.values(written).map(({ atMs }) => atMs)) + CALM_MS;
}

/** Records how a write ended, and how long the next one has to wait. */
export function recordOutcome(state: RetryState, step: Write, outcome: Outcome, { version, nowMs, random }: Now): void {
  const content = contentOf(step);
  if (outcome.type === "Done") {
    state.failures = 0;
    state.overtaken = 0;
    delete state.hold;
    const written = { content, atMs: nowMs, isUndone: false };
    // After a deletion the object is gone by our own doing: its earlier writes were not undone by another writer.
    if (step.type === "Delete") state.written = { Delete: written };
    else state.written[partOf(step)] = written;
    return;
  }
  const isOvertaken = outcome.type === "Overtaken";
  state.failures = isOvertaken ? 0 : state.failures + 1;
  if (isOvertaken) state.overtaken += 1;
  const isForbidden = outcome.type === "Refused" && outcome.isForbidden;
  const fixedMs = isForbidden ? undefined : FIXED_WAIT_MS[outcome.type];
  const waitMs = fixedMs ?? backoffMs(failuresInARow(outcome, state), random);
  state.hold = { type: outcome.type, untilMs: nowMs + waitMs, content, version };
}

function failuresInARow({ type }: Outcome, { failures, overtaken }: RetryState): number {
  if (type !== "Overtaken") return failures;
  return Math.min(OVERTAKEN_DOUBLINGS, Math.max(1, overtaken - OVERTAKEN_AT_ONCE));
}

/** Lets a failed or overtaken write be retried at once, because there is a new reason to. */
export function clearTransientHold(state: RetryState): void {
  const type = state.hold?.type;
  if (type === "Failed" || type === "Overtaken") delete state.hold;
}
