import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";

/** A gateway that answers 200 and keeps what it was asked. */
export type Capture = {
  address: string;
  readonly requests: { at: number; path: string; headers: IncomingHttpHeaders }[];
  stop(): Promise<void>;
};

export async function startCapture(address: string, port: number): Promise<Capture> {
  const requests: Capture["requests"] = [];
  const server = createServer((request, response) => {
    requests.push({ at: Date.now(), path: request.url ?? "", headers: request.headers });
    response.writeHead(200, { connection: "close" }).end("ok\n");
  });
  server.listen({ host: address, port });
  await once(server, "listening");
  return {
    address,
    requests,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
