import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { extname, join } from "node:path";
import type { Duplex } from "node:stream";
import type { LiveMessage } from "../../../shared/model/overview.ts";
import { overviewOf, summary } from "./overview.ts";
import { acceptWebSocket } from "./web-socket.ts";

const BUILT = join(import.meta.dirname, "../../../dist/dashboard");
const HOST = "127.0.0.1";
const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};
/** As often as a coordinator tells what changed, and one record in a hundred each time. */
const TELL_EVERY_MS = 500;
const CHANGES_OF = 100;

/**
 * Serves the view as it was built, with an overview of this many records in nine regions. In its stream one record in a hundred
 * changes twice a second. All of that is generated: no Worker, no prober and no store takes part, for what is measured is the
 * page alone.
 */
export async function serveView(records: number): Promise<{ origin: string; stop: () => Promise<void> }> {
  const timers = new Set<NodeJS.Timeout>();
  const sockets = new Set<Duplex>();
  const server = createServer((request, response) => answer(request, response, records));
  server.on("upgrade", (request, socket) => {
    sockets.add(socket);
    const timer = tell(acceptWebSocket(request, socket), records);
    timers.add(timer);
    socket.on("close", () => {
      clearInterval(timer);
      sockets.delete(socket);
    });
  });
  server.listen(0, HOST);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server of the view has no port");
  return {
    origin: `http://${HOST}:${address.port}`,
    async stop() {
      for (const timer of timers) clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function answer({ url = "/" }: IncomingMessage, response: ServerResponse, records: number): void {
  const { pathname } = new URL(url, "http://view");
  if (pathname === "/v1/overview") {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(overviewOf(records, Date.now())));
    return;
  }
  try {
    const name = pathname === "/" ? "/index.html" : pathname;
    const body = readFileSync(join(BUILT, name));
    response.writeHead(200, { "content-type": TYPES[extname(name)] ?? "application/octet-stream" });
    response.end(body);
  } catch {
    response.writeHead(404).end();
  }
}

function tell(send: (text: string) => void, records: number): NodeJS.Timeout {
  let told = 0;
  const message = (changed: number[]): LiveMessage => ({
    at: Date.now(),
    partition: 0,
    records: changed.map((index) => summary(index, Date.now())),
    removed: [],
    events: [],
    lastEventId: 0,
  });
  send(JSON.stringify(message([])));
  return setInterval(() => {
    told += 1;
    const count = Math.ceil(records / CHANGES_OF);
    send(JSON.stringify(message(Array.from({ length: count }, (_, at) => (told * count + at) % records))));
  }, TELL_EVERY_MS);
}
