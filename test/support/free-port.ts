import { createSocket } from "node:dgram";
import { createServer } from "node:net";

/** Above the last port that `fetch` and browsers refuse to call, 10080. */
const FIRST = 11_000;
const PER_WORKER = 2_500;
const WORKERS = 8;

/** What one worker finds free it may listen at seconds later: each takes from a part of its own, and no port twice. */
const part = FIRST + (Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS) * PER_WORKER;
let taken = Math.floor(Math.random() * PER_WORKER);

/**
 * A port that is free now for TCP and UDP at all addresses. It is below the range of outgoing connections, since those of the
 * probes would soon take one from there.
 */
export async function freePort(): Promise<number> {
  const port = part + (taken++ % PER_WORKER);
  const server = createServer();
  const socket = createSocket("udp4");
  // An agent listens at all addresses: a gateway at any of them is in its way.
  const isFree = await Promise.all([
    new Promise((resolve) => server.once("error", () => resolve(false)).listen(port, () => resolve(true))),
    new Promise((resolve) => socket.once("error", () => resolve(false)).bind(port, () => resolve(true))),
  ]);
  server.close();
  socket.close();
  return isFree.every(Boolean) ? port : await freePort();
}
