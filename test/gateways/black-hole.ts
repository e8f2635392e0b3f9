import { once } from "node:events";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { Worker } from "node:worker_threads";

/** Ports on 127.0.0.1 where a dial is never answered. */
export interface BlackHole {
  ports: number[];
  close: () => Promise<void>;
}

/** Listens on the ports and then blocks its thread, so that nobody accepts. */
const LISTENER = `
  const { createServer } = require("node:net");
  const { parentPort, workerData } = require("node:worker_threads");
  const servers = Array.from({ length: workerData }, () => createServer().listen({ host: "127.0.0.1", port: 0, backlog: 1 }));
  Promise.all(servers.map((server) => new Promise((resolve) => server.once("listening", resolve)))).then(() => {
    parentPort.postMessage(servers.map((server) => server.address().port));
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
  });
`;

/**
 * Black-holes dials without leaving the machine: where nobody accepts and the backlog is full, Linux drops what knocks,
 * just as a firewall would.
 */
export async function blackHole(count: number): Promise<BlackHole> {
  const listener = new Worker(LISTENER, { eval: true, workerData: count });
  const [ports] = (await once(listener, "message")) as [number[]];
  const fillers = (await Promise.all(ports.map(fillBacklog))).flat();
  return {
    ports,
    close: async () => {
      for (const filler of fillers) filler.destroy();
      await listener.terminate();
    },
  };
}

const KNOCK_MS = 300;
const MOST_FILLERS = 64;

/** Connects until a dial hangs. */
async function fillBacklog(port: number): Promise<Socket[]> {
  const fillers: Socket[] = [];
  while (fillers.length < MOST_FILLERS) {
    const filler = connect(port, "127.0.0.1");
    filler.on("error", () => filler.destroy());
    fillers.push(filler);
    if (!(await opens(filler))) return fillers;
  }
  throw new Error(
    `Port ${port} still answers with ${MOST_FILLERS} connections waiting: this system has no full backlog.`,
  );
}

function opens(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), KNOCK_MS);
    socket.once("connect", () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}
