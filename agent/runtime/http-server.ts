import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { getRequestListener } from "@hono/node-server";
import type { Hono } from "hono";

const MAX_CONNECTIONS = 128;
/** The edge gives up earlier than that; a client that trickles its request does not. */
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;

export interface RunningServer {
  port: number;
  close(): Promise<void>;
}

/** Serves the app over HTTP. Rejects with the system's error (`EADDRINUSE`) when it cannot bind. */
export async function listen(app: Hono, address: string, port: number): Promise<RunningServer> {
  const server: Server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: HEADERS_TIMEOUT_MS },
    getRequestListener(app.fetch),
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(port, address);
  await once(server, "listening");
  const bound = server.address();
  return {
    port: typeof bound === "object" && bound !== null ? bound.port : port,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
