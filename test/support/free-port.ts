import { createSocket } from "node:dgram";
import { createServer } from "node:net";

const HOST = "127.0.0.1";

/**
 * A port that is free for TCP and UDP now, from below the range that outgoing connections take theirs from: those of the
 * probes would soon have one that was found free there.
 */
export async function freePort(): Promise<number> {
  const port = 10_000 + Math.floor(Math.random() * 20_000);
  const server = createServer();
  const socket = createSocket("udp4");
  const isFree = await Promise.all([
    new Promise((resolve) => server.once("error", () => resolve(false)).listen(port, HOST, () => resolve(true))),
    new Promise((resolve) => socket.once("error", () => resolve(false)).bind(port, HOST, () => resolve(true))),
  ]);
  server.close();
  socket.close();
  return isFree.every(Boolean) ? port : await freePort();
}
