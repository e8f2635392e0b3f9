import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { HOST } from "../../../local/plan.ts";

/** States of a connection: open; refused and reset; or dropped silently, as by a firewall. */
export type Way = "open" | "reset" | "black hole";

export interface Cuttable {
  origin: string;
  /** Applies to what is open and to what comes. Data that a black hole has kept is lost with its connection. */
  become(way: Way): void;
  stop(): Promise<void>;
}

/** A TCP proxy before `port` of this machine, which can be cut. */
export async function serveCuttable(port: number): Promise<Cuttable> {
  let way: Way = "open";
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((client) => {
    client.on("error", () => client.destroy());
    if (way === "reset") {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(port, HOST);
    upstream.on("error", () => client.resetAndDestroy());
    const pair = [client, upstream] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [upstream, client] as const]) {
      from.on("data", (chunk) => {
        if (way === "open") to.write(chunk);
      });
      from.on("close", () => {
        pairs.delete(pair);
        // Who is behind a black hole hears of no end either.
        if (way === "open") to.destroy();
      });
    }
  });
  server.listen(0, HOST);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The proxy has no port");
  const held = new Set<Socket>();
  const endAll = () => {
    for (const socket of [...pairs].flat()) socket.resetAndDestroy();
    for (const socket of held) socket.resetAndDestroy();
    pairs.clear();
  };
  server.on("connection", (socket) => {
    held.add(socket);
    socket.on("close", () => held.delete(socket));
  });
  return {
    origin: `http://${HOST}:${address.port}`,
    become(next) {
      const was = way;
      way = next;
      if (next === "reset" || was === "black hole") endAll();
    },
    async stop() {
      endAll();
      server.close();
      await once(server, "close");
    },
  };
}
