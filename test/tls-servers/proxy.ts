import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:net";
import type { Case } from "./case.ts";
import type { Running } from "./program.ts";

/** Stands before a server and cuts up what it says; what the client says passes as it is. */
export async function startProxy(between: NonNullable<Case["between"]>, behind: Running): Promise<Running> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect(behind.port, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => sockets.delete(socket));
    }
    client.on("close", () => upstream.destroy());
    client.pipe(upstream);
    // A client that has seen enough goes away in the middle; that is no fault.
    if (between === "octets") dribble(upstream, client).catch(() => client.destroy());
    else recut(upstream, client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await behind.stop();
  };
  return { port: (server.address() as AddressInfo).port, stop };
}

/** How much of a stream is cut up; the rest goes as it comes, or a page would take seconds. */
const DRIBBLED_OCTETS = 6_000;

/** Segments of 1 to 7 octets. */
async function dribble(from: Socket, to: Socket): Promise<void> {
  let sent = 0;
  for await (const octets of from as AsyncIterable<Buffer>) {
    for (let at = 0; at < octets.length; ) {
      const size = sent < DRIBBLED_OCTETS ? 1 + (sent % 7) : octets.length;
      to.write(octets.subarray(at, at + size));
      sent += size;
      at += size;
      if (sent < DRIBBLED_OCTETS) await new Promise(setImmediate);
    }
  }
  to.end();
}

const HANDSHAKE = 22;
const CHANGE_CIPHER_SPEC = 20;
const PIECE_OCTETS = 5;

/** Handshake records in clear are cut into records of 5 octets; after ChangeCipherSpec nothing can be, and all passes. */
function recut(from: Socket, to: Socket): void {
  let waiting = Buffer.alloc(0);
  let isClear = true;
  from.on("data", (octets: Buffer) => {
    waiting = Buffer.concat([waiting, octets]);
    while (isClear && waiting.length >= 5 && waiting.length >= 5 + waiting.readUInt16BE(3)) {
      const end = 5 + waiting.readUInt16BE(3);
      const record = waiting.subarray(0, end);
      waiting = waiting.subarray(end);
      if (record[0] === CHANGE_CIPHER_SPEC) isClear = false;
      to.write(record[0] === HANDSHAKE ? smaller(record) : record);
    }
    if (isClear) return;
    to.write(waiting);
    waiting = Buffer.alloc(0);
  });
  from.on("end", () => to.end());
}

function smaller(record: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 5; at < record.length; at += PIECE_OCTETS) {
    const piece = record.subarray(at, at + PIECE_OCTETS);
    const head = Buffer.from(record.subarray(0, 5));
    head.writeUInt16BE(piece.length, 3);
    pieces.push(head, piece);
  }
  return Buffer.concat(pieces);
}
