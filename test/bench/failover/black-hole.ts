import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Worker } from "node:worker_threads";

const BACKLOG = 8;
/** More than the backlog holds; those beyond it wait with the others. */
const FILLERS = 24;

/** Answers 200 until it must stop accepting. Then its thread sleeps until the flag is raised. */
const SERVER = `
  const { createServer } = require("node:http");
  const { parentPort, workerData } = require("node:worker_threads");
  const server = createServer((_, response) => response.writeHead(200, { connection: "close" }).end("ok\\n"));
  server.listen({ host: workerData.address, port: workerData.port, backlog: ${BACKLOG} }, () => parentPort.postMessage("listening"));
  parentPort.on("message", (flag) => {
    parentPort.postMessage("sleeps");
    setImmediate(() => Atomics.wait(new Int32Array(flag), 0, 0));
  });
`;

/** A gateway whose dials can be left unanswered: where nobody accepts and the backlog is full, Linux drops what knocks. */
export async function startFadingGateway(address: string, port: number) {
  const server = new Worker(SERVER, { eval: true, workerData: { address, port } });
  await once(server, "message");
  let flag: SharedArrayBuffer | undefined;
  let fillers: Socket[] = [];

  async function vanish(): Promise<void> {
    flag = new SharedArrayBuffer(4);
    const asleep = once(server, "message");
    server.postMessage(flag);
    await asleep;
    fillers = Array.from({ length: FILLERS }, () => connect(port, address).on("error", () => undefined));
  }

  function reappear(): void {
    for (const filler of fillers) filler.destroy();
    if (flag === undefined) return;
    const word = new Int32Array(flag);
    Atomics.store(word, 0, 1);
    Atomics.notify(word, 0);
  }

  async function stop(): Promise<void> {
    reappear();
    await server.terminate();
  }
  return { vanish, reappear, stop };
}
