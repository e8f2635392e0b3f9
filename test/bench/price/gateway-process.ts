import { once } from "node:events";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { GatewayPlan, Trouble } from "./gateways.ts";

/** Of the three round trips of an exchange (connection, TLS 1.3, HTTP) those before the server's first octet. */
const BEFORE_FIRST_OCTET = 2 / 3;

let trouble: Trouble = { count: 0, kind: "status" };

const endpointOf = (socket: Socket): number => {
  const [, high = 0, middle = 0, low = 0] = (socket.localAddress ?? "").split(".").map(Number);
  return ((high - 1) << 14) | (middle << 7) | (low - 1);
};

const isTroubled = (socket: Socket) => endpointOf(socket) < trouble.count;

async function serve({ certificate, key, delayMs }: GatewayPlan): Promise<number> {
  const https = createHttps({ cert: certificate, key }, (request, response) => {
    const status = isTroubled(request.socket) ? 500 : 200;
    setTimeout(
      () => response.writeHead(status, { connection: "close" }).end("ok\n"),
      delayMs * (1 - BEFORE_FIRST_OCTET),
    );
  });
  const front = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on("error", () => socket.destroy());
    if (trouble.kind === "hang" && isTroubled(socket)) {
      socket.resume();
      return;
    }
    setTimeout(() => {
      https.emit("connection", socket);
      socket.resume();
    }, delayMs * BEFORE_FIRST_OCTET);
  });
  front.listen({ port: 0, host: "0.0.0.0", backlog: 1_024 });
  await once(front, "listening");
  return (front.address() as AddressInfo).port;
}

/** Child process. It receives its plan, and then which endpoints fail, whenever that changes. */
process.once("message", async (plan: GatewayPlan) => {
  process.on("message", (next: Trouble) => {
    trouble = next;
  });
  process.send?.(await serve(plan));
});
process.once("disconnect", () => process.exit());
