import type { Figures } from "../../shared/model/self-test.ts";
import type { SelfTestRpc } from "./self-test.ts";

/** Between the ping and the question that wakes the object: enough to tell which of the two woke it. */
const AFTER_PING_MS = 2_000;
/** The two clocks that are compared are of two data centres: the line is drawn far from either. */
const WOKEN_BY_PING_MS = AFTER_PING_MS / 2;
const PONG_LIMIT_MS = 5_000;

/**
 * Holds a WebSocket to an object, asks it nothing for a while, and pings: whether its memory was lost meanwhile, and whether the ping
 * was answered without waking it.
 * @param fresh a stub made anew, for one that has thrown stays broken
 */
export async function measureHibernation(fresh: () => SelfTestRpc, idleMs: number): Promise<Figures> {
  const socket = await connected(fresh());
  try {
    const before = await fresh().awake();
    await pause(idleMs);
    const pingedAt = Date.now();
    const pongMs = await ping(socket);
    await pause(AFTER_PING_MS);
    const after = await fresh().awake();
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

async function connected(object: SelfTestRpc): Promise<WebSocket> {
  const upgrade = new Request("https://self-test/", { headers: { upgrade: "websocket" } });
  const { webSocket } = await object.fetch(upgrade);
  if (!webSocket) throw new Error("the object opened no WebSocket");
  webSocket.accept();
  return webSocket;
}

/** How long the answer took, in milliseconds; undefined where there was none. */
async function ping(socket: WebSocket): Promise<number | undefined> {
  const startedAt = Date.now();
  const answer = new Promise<number>((resolve) => {
    socket.addEventListener("message", () => resolve(Date.now() - startedAt), { once: true });
  });
  socket.send("ping");
  return Promise.race([answer, pause(PONG_LIMIT_MS)]);
}

const pause = (ms: number): Promise<undefined> => new Promise((resolve) => setTimeout(resolve, ms, undefined));
