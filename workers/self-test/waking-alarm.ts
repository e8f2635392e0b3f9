import type { Figures } from "../../shared/model/self-test.ts";
import type { SelfTestRpc } from "./self-test.ts";

/** An alarm that came, as the object noted it. */
export interface WakingAlarm {
  lateMs: number;
  /** When the memory was made in which it came, Unix ms. */
  bornAt: number;
}

/** How long after it was due the object is asked first, which wakes it: one that is in time has come by then. */
const FIRST_ASKED_MS = 2_000;
/** The platform's alarms may be a minute late while it fails over. */
const LIMIT_MS = 62_000;
const PAUSE_MS = 5_000;

const DUE = "self-test due";
const CAME = "self-test came";

/**
 * Sets an alarm of an object and leaves it alone until then, as a prober is between its rounds: how late it comes where it finds the
 * object asleep.
 * @param fresh a stub made anew, for one that has thrown stays broken
 */
export async function measureWakingAlarm(fresh: () => SelfTestRpc, idleMs: number): Promise<Figures> {
  const before = await fresh().awake();
  await fresh().setWakingAlarm(idleMs);
  try {
    await pause(idleMs + FIRST_ASKED_MS);
    for (let waitedMs = FIRST_ASKED_MS; waitedMs < LIMIT_MS; waitedMs += PAUSE_MS) {
      const came = await fresh().wakingAlarm();
      if (came !== undefined) return { idleMs, lateMs: came.lateMs, slept: came.bornAt !== before.bornAt };
      await pause(PAUSE_MS);
    }
    return { idleMs, limitMs: LIMIT_MS };
  } finally {
    await fresh().forget();
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export async function setWakingAlarm(storage: DurableObjectStorage, inMs: number): Promise<void> {
  const dueAt = Date.now() + inMs;
  await storage.put(DUE, dueAt);
  await storage.setAlarm(dueAt);
}

/** For the object's `alarm()`: notes that it came, where it is one of these. */
export async function noteWakingAlarm(storage: DurableObjectStorage, bornAt: number): Promise<void> {
  const dueAt = await storage.get<number>(DUE);
  if (dueAt !== undefined) await storage.put<WakingAlarm>(CAME, { lateMs: Date.now() - dueAt, bornAt });
}

export const wakingAlarm = (storage: DurableObjectStorage): Promise<WakingAlarm | undefined> =>
  storage.get<WakingAlarm>(CAME);
