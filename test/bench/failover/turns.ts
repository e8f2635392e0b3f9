import { setTimeout as pause } from "node:timers/promises";
import { askDns } from "../../../local/dns-watch.ts";
import type { RecordStatus } from "../../../shared/model/status.ts";
import { boundMs, cycleMs, returnBoundMs, type Subject } from "./cases.ts";
import type { Breakable } from "./gateway.ts";
import type { BenchStack } from "./stack.ts";

/** An endpoint that left DNS, or came back: how long each leg took, in ms. `undefined` legs: it did not come to that in time. */
export interface Turn {
  subject: Subject;
  kind: "Failure" | "Return";
  legs: { decision: number; delivery: number; dns: number; whole: number } | undefined;
}

/** How much longer than its bound a turn is waited for, before it counts as missed. */
const PATIENCE_MS = 60_000;
const ASK_EVERY_MS = 4;

const isPublished = (record: RecordStatus, leaf: string) =>
  record.endpoints.some(({ targets }) => targets.includes(leaf));
const isSettled = (record: RecordStatus) =>
  record.leaves.every(({ reason }) => reason === "Healthy") &&
  record.probes.every(({ verdict }) => verdict === "Healthy");

/** Waits until both endpoints of the subject's record are proven and published. @throws after `limitMs` */
export async function settle({ rootHost }: Subject, { tap }: BenchStack, limitMs: number): Promise<void> {
  if ((await tap.told(rootHost, isSettled, limitMs)) !== undefined) return;
  const { leaves, shares } = tap.newest(rootHost)?.record ?? {};
  throw new Error(`${rootHost} was not proven within ${limitMs} ms: ${JSON.stringify({ leaves, shares })}`);
}

/**
 * Has the subject fail and return, at random moments of its interval, until `endMs` (Unix ms) leaves no time for another.
 * It does so once in any case.
 */
export async function keepFailing(
  subject: Subject,
  gateway: Breakable,
  stack: BenchStack,
  endMs: number,
  onTurn: (turn: Turn) => void,
): Promise<void> {
  const { intervalMs } = subject.check;
  do {
    await pause(Math.random() * intervalMs);
    const failedAt = Date.now();
    await gateway.fail();
    onTurn(await watch(subject, "Failure", failedAt, stack));
    await pause(Math.random() * intervalMs);
    await gateway.mend();
    onTurn(await watch(subject, "Return", Date.now(), stack));
  } while (Date.now() + cycleMs(subject) < endMs);
}

async function watch(subject: Subject, kind: Turn["kind"], sinceMs: number, stack: BenchStack): Promise<Turn> {
  const { rootHost, address, check } = subject;
  const isToBeThere = kind === "Return";
  const limitMs = (isToBeThere ? returnBoundMs(check) : boundMs(check)) + PATIENCE_MS;
  const isIt = (record: RecordStatus) => isPublished(record, address) === isToBeThere;
  const told = await stack.tap.told(rootHost, isIt, limitMs);
  if (told === undefined) return { subject, kind, legs: undefined };
  const answeredAt = await answered(stack, rootHost, (targets) => targets.includes(address) === isToBeThere);
  if (answeredAt === undefined) return { subject, kind, legs: undefined };
  const legs = {
    decision: told.decidedAt - sinceMs,
    delivery: told.deliveredAt - told.decidedAt,
    dns: answeredAt - told.deliveredAt,
    whole: answeredAt - sinceMs,
  };
  return { subject, kind, legs };
}

/** When DNS answered so, Unix ms. */
async function answered(
  { dns }: BenchStack,
  name: string,
  isIt: (targets: readonly string[]) => boolean,
): Promise<number | undefined> {
  const untilMs = Date.now() + PATIENCE_MS;
  while (Date.now() < untilMs) {
    const answer = await askDns(dns, { name, type: "A" }).catch(() => undefined);
    if (answer !== undefined && isIt(answer.targets)) return Date.now();
    await pause(ASK_EVERY_MS);
  }
  return undefined;
}
