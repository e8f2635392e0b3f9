import { setTimeout as pause } from "node:timers/promises";
import type { PlatformCheckRpc } from "./platform-check.ts";
import type { Figures } from "./protocol.ts";

/** From the ping to the call that wakes the object: long enough to tell which of the two woke it. */
const AFTER_PING_MS = 2_000;
/** The limit lies far from both, since the two clocks that are compared are in two data centres. */
const WOKEN_BY_PING_MS = AFTER_PING_MS / 2;
const PONG_LIMIT_MS = 5_000;

/** From the due time to the first call, which wakes the object. An alarm that is on time has come by then. */
const FIRST_CALL_MS = 2_000;
/** Alarms can be a minute late while the platform fails over. */
const ALARM_LIMIT_MS = 62_000;
const POLL_MS = 5_000;

/**
 * Holds a WebSocket to an idle object, then pings it. Measures whether the object lost its memory, and whether the platform answered the
 * ping without waking it.
 * @param freshStub makes a new stub: one that has thrown stays broken
 */
export async function measureHibernation(freshStub: () => PlatformCheckRpc, idleMs: number): Promise<Figures> {
  const socket = await connect(freshStub());
  try {
    const before = await freshStub().awake();
    await pause(idleMs);
    const pingedAt = Date.now();
    const pongMs = await ping(socket);
    await pause(AFTER_PING_MS);
    const after = await freshStub().awake();
    const memoryLost = after.bornAt !== before.bornAt;
    return {
      idleMs,
      memoryLost,
      ...(pongMs !== undefined && { pongMs }),
      ...(memoryLost && { pingWokeIt: after.bornAt < pingedAt + WOKEN_BY_PING_MS }),
      answeredByPlatform: after.answeredAt !== undefined,
    };
  } finally {
    socket.close(1000);
  }
}

/**
 * Sets an alarm of an object and makes no call until it is due, as a prober's object is idle between its rounds. Measures how late the
 * alarm comes to an object that sleeps.
 * @param freshStub makes a new stub: one that has thrown stays broken
 */
export async function measureWakingAlarm(freshStub: () => PlatformCheckRpc, idleMs: number): Promise<Figures> {
  const before = await freshStub().awake();
  await freshStub().setWakingAlarm(idleMs);
  try {
    await pause(idleMs + FIRST_CALL_MS);
    for (let waitedMs = FIRST_CALL_MS; waitedMs < ALARM_LIMIT_MS; waitedMs += POLL_MS) {
      const came = await freshStub().wakingAlarm();
      if (came !== undefined) return { idleMs, lateMs: came.lateMs, slept: came.bornAt !== before.bornAt };
      await pause(POLL_MS);
    }
    return { idleMs, limitMs: ALARM_LIMIT_MS };
  } finally {
    await freshStub().forget();
  }
}

async function connect(object: PlatformCheckRpc): Promise<WebSocket> {
  const upgrade = new Request("https://platform-check/", { headers: { upgrade: "websocket" } });
  const { webSocket } = await object.fetch(upgrade);
  if (!webSocket) throw new Error("the object opened no WebSocket");
  webSocket.accept();
  return webSocket;
}

/** Milliseconds until the pong; undefined if there was none. */
async function ping(socket: WebSocket): Promise<number | undefined> {
  const startedAt = Date.now();
  const pong = new Promise<number>((resolve) => {
    socket.addEventListener("message", () => resolve(Date.now() - startedAt), { once: true });
  });
  socket.send("ping");
  return Promise.race([pong, pause(PONG_LIMIT_MS, undefined)]);
}
