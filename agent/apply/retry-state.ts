import { digest } from "../../shared/hash.ts";
import type { KubeObject } from "../kubernetes/object.ts";
import { backoffMs } from "../runtime/backoff.ts";
import { textWithoutTimes } from "./compare.ts";
import type { Outcome, Write } from "./execute.ts";

/** An object that nobody else changed for so long after our write is not fought over. */
const CALM_MS = 120_000;
/** So often found changed right after our write: no chance, but another writer. */
const CONTESTS_TO_TELL = 3;
const REFUSED_MS = 300_000;
/** So soon the cache has to see that what we deleted is gone: it may be cut off from the API server. */
const UNSEEN_MS = 60_000;
/** So often in a row others may write between our look and our write before the next look waits: else a busy writer sets our pace. */
const OVERTAKEN_AT_ONCE = 4;
/** The waits after that grow so often, to 4 s: what is to be in DNS does not stay out for another's haste. */
const OVERTAKEN_GROWS = 3;
/** Something foreign may go without a word where the cache sees our own objects only. */
const FOREIGN_MS = 60_000;

const FIXED_WAIT_MS: Partial<Record<Outcome["type"], number>> = { Refused: REFUSED_MS, Foreign: FOREIGN_MS };

type Part = "Main" | "Status" | "Delete";

interface Hold {
  type: Outcome["type"] | "Contested" | "Unseen";
  untilMs: number;
  /** What was to be written, and on which version of the object. */
  text: string;
  version: string;
}

/** What is known of one object's writes. Times in ms of a clock that only goes forward. */
export interface RetryState {
  /** In a row, of the same kind: what others did says nothing of how long the API server will be away. */
  failures: number;
  overtaken: number;
  contests: number;
  hold?: Hold;
  written: Partial<Record<Part, { text: string; atMs: number; isUndone: boolean }>>;
}

export const newRetryState = (): RetryState => ({ failures: 0, overtaken: 0, contests: 0, written: {} });

const partOf = ({ type }: Write): Part => (type === "Delete" ? "Delete" : type === "ApplyStatus" ? "Status" : "Main");

function textOf(step: Write): string {
  if (step.type === "Delete") return step.uid;
  const { metadata, spec, status } = step.object;
  const { uid: _, resourceVersion: __, ...rest } = metadata;
  return digest(textWithoutTimes([rest, spec, status]));
}

interface Now {
  /** The resourceVersion of the object as the cache has it; empty where it has none. */
  version: string;
  nowMs: number;
  random: number;
}

/**
 * Until when the step has to wait, and for what; undefined where it may be done now. That something is found undone which we
 * wrote is noted here.
 */
export function holdOf(patience: RetryState, step: Write, now: Now): Hold | undefined {
  const { version, nowMs } = now;
  const text = textOf(step);
  noteUndone(patience, step, text, now);
  const { hold } = patience;
  return hold === undefined || hold.untilMs <= nowMs || isLifted(patience, text, version) ? undefined : hold;
}

function isLifted({ hold, overtaken }: RetryState, text: string, version: string): boolean {
  if (hold === undefined) return true;
  if (hold.type === "Failed") return false;
  if (hold.text !== text) return true;
  if (hold.version === version) return false;
  const isAtOnce = hold.type === "Gone" || (hold.type === "Overtaken" && overtaken <= OVERTAKEN_AT_ONCE);
  return hold.type === "Foreign" || isAtOnce;
}

function noteUndone(patience: RetryState, step: Write, text: string, { version, nowMs, random }: Now): void {
  const written = patience.written[partOf(step)];
  if (written === undefined || written.isUndone) return;
  const isSame = written.text === text;
  if (step.type === "Delete" && isSame) {
    patience.hold = { type: "Unseen", untilMs: written.atMs + UNSEEN_MS, text, version };
    return;
  }
  if (step.type === "ApplyStatus" && step.timesOnly) return;
  if (step.type !== "Delete" && !isSame) return;
  written.isUndone = true;
  if (nowMs - written.atMs >= CALM_MS) {
    patience.contests = 0;
    return;
  }
  patience.contests += 1;
  patience.hold = { type: "Contested", untilMs: nowMs + backoffMs(patience.contests, random), text, version };
}

/** Whether this very object is one that we deleted. */
export function wasDeleted({ written }: RetryState, object: KubeObject | undefined): boolean {
  return written.Delete !== undefined && written.Delete.text === object?.metadata.uid;
}

/** Whether another writer undoes what we write. */
export function isContested({ contests, written }: RetryState, nowMs: number): boolean {
  return contests >= CONTESTS_TO_TELL && nowMs < calmAtMs({ written });
}

/** When the object will count as left alone. */
export function calmAtMs({ written }: Pick<RetryState, "written">): number {
  return Math.max(...Object.values(written).map(({ atMs }) => atMs)) + CALM_MS;
}

/** Takes down how a write ended, and how long the next one has to wait. */
export function noteOutcome(
  patience: RetryState,
  step: Write,
  outcome: Outcome,
  { version, nowMs, random }: Now,
): void {
  const text = textOf(step);
  if (outcome.type === "Done") {
    patience.failures = 0;
    patience.overtaken = 0;
    delete patience.hold;
    const written = { text, atMs: nowMs, isUndone: false };
    // Whoever finds it gone then finds our own doing.
    if (step.type === "Delete") patience.written = { Delete: written };
    else patience.written[partOf(step)] = written;
    return;
  }
  const isOvertaken = outcome.type === "Overtaken";
  patience.failures = isOvertaken ? 0 : patience.failures + 1;
  if (isOvertaken) patience.overtaken += 1;
  const isForbidden = outcome.type === "Refused" && outcome.isForbidden;
  const fixedMs = isForbidden ? undefined : FIXED_WAIT_MS[outcome.type];
  const waitMs = fixedMs ?? backoffMs(waitsOf(outcome, patience), random);
  patience.hold = { type: outcome.type, untilMs: nowMs + waitMs, text, version };
}

function waitsOf({ type }: Outcome, { failures, overtaken }: RetryState): number {
  if (type !== "Overtaken") return failures;
  return Math.min(OVERTAKEN_GROWS, Math.max(1, overtaken - OVERTAKEN_AT_ONCE));
}

/** What failed or was overtaken is tried at once, for there is a new reason to. */
export function noteHurry(patience: RetryState): void {
  const type = patience.hold?.type;
  if (type === "Failed" || type === "Overtaken") delete patience.hold;
}
