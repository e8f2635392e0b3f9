import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { createServer } from "node:net";

/** What a gateway does with a connection. It is closed with the gateway at the latest. */
export type Behaviour = (socket: Socket) => void;

/** What a gateway has seen so far. */
export interface Seen {
  connections: number;
  open: number;
  mostOpen: number;
  /** The most octets that one connection took from the gateway. */
  mostSent: number;
  /** The octets of the last request, as text. */
  lastRequest: string;
}

export interface Gateway {
  port: number;
  seen: Seen;
  close: () => Promise<void>;
}

/** Serves one behaviour on a loopback address, on any free port unless one is given. */
export async function serve(behaviour: Behaviour, host = "127.0.0.1", port = 0): Promise<Gateway> {
  const seen: Seen = { connections: 0, open: 0, mostOpen: 0, mostSent: 0, lastRequest: "" };
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    seen.connections += 1;
    seen.open += 1;
    seen.mostOpen = Math.max(seen.mostOpen, seen.open);
    let request = "";
    socket.on("data", (octets) => {
      request += octets.toString("latin1");
      seen.lastRequest = request;
    });
    socket.on("end", () => socket.end());
    // A prober that has seen enough goes away in the middle of an answer; that is no fault of the gateway's.
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      sockets.delete(socket);
      seen.open -= 1;
      seen.mostSent = Math.max(seen.mostSent, socket.bytesWritten);
    });
    behaviour(socket);
  });
  server.listen(port, host);
  await once(server, "listening");
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  };
  return { port: (server.address() as AddressInfo).port, seen, close };
}

/** Waits for the whole request (no body is expected), then answers. */
export function afterRequest(answer: (socket: Socket, request: string) => void): Behaviour {
  return (socket) => {
    let request = "";
    const read = (octets: Buffer) => {
      request += octets.toString("latin1");
      if (!request.includes("\r\n\r\n")) return;
      socket.off("data", read);
      answer(socket, request);
    };
    socket.on("data", read);
  };
}

/** Writes one piece after another with a pause between, until the pieces or the connection end. */
export function drip(socket: Socket, pieces: Iterator<string | Buffer>, pauseMs: number): void {
  const timer = setInterval(() => {
    const { value, done } = pieces.next();
    if (done) {
      clearInterval(timer);
      socket.end();
    } else socket.write(value);
  }, pauseMs);
  socket.on("close", () => clearInterval(timer));
}

/** Writes as fast as the peer reads, until the pieces or the connection end. */
export function pour(socket: Socket, pieces: Iterator<string | Buffer>): void {
  const more = () => {
    while (!socket.destroyed) {
      const { value, done } = pieces.next();
      if (done) {
        socket.end();
        return;
      }
      if (!socket.write(value)) return;
    }
  };
  socket.on("drain", more);
  more();
}
