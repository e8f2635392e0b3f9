import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** One probe as a gateway saw it. Times in Unix ms. */
export interface SeenProbe {
  address: string;
  host: string;
  region: string;
  /** When the connection was accepted. */
  openedAt: number;
  /** When the first octet of the answer left: until then the prober's dial counts as pending. */
  answeredAt: number;
  /** When the prober had closed it; infinite while it has not. */
  closedAt: number;
}

/** A gateway that answers 200 to everything, and notes who asked when. */
export interface CountingGateway {
  readonly seen: readonly SeenProbe[];
  stop(): Promise<void>;
}

/** @param delayMs How long it thinks before it answers, so that connections can stand beside each other. */
export async function startCountingGateway(address: string, port: number, delayMs: number): Promise<CountingGateway> {
  const seen: SeenProbe[] = [];
  const openedAt = new WeakMap<Socket, number>();
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const { host = "", "user-agent": userAgent = "" } = request.headers;
    const region = /region=([a-z-]+)/.exec(userAgent)?.[1] ?? "";
    const probe: SeenProbe = {
      address,
      host: host.replace(/:\d+$/, ""),
      region,
      openedAt: openedAt.get(request.socket) ?? Date.now(),
      answeredAt: Number.POSITIVE_INFINITY,
      closedAt: Number.POSITIVE_INFINITY,
    };
    seen.push(probe);
    request.socket.once("close", () => {
      probe.closedAt = Date.now();
    });
    await pause(delayMs);
    probe.answeredAt = Date.now();
    response.writeHead(200, { "content-type": "text/plain", connection: "close" }).end("ok\n");
  });
  server.on("connection", (socket) => openedAt.set(socket, Date.now()));
  server.listen({ host: address, port });
  await once(server, "listening");
  return {
    seen,
    async stop() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** How many of the spans lay over each other at most; one that ends when another begins does not count beside it. */
export function mostAtOnce(spans: readonly (readonly [fromMs: number, toMs: number])[]): number {
  const steps = spans.flatMap(([from, to]) => [
    { at: from, by: 1 },
    { at: to, by: -1 },
  ]);
  steps.sort((a, b) => a.at - b.at || a.by - b.by);
  let [now, most] = [0, 0];
  for (const { by } of steps) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}
