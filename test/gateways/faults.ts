import type { Behaviour } from "./gateway.ts";
import { afterRequest, drip, pour } from "./gateway.ts";

/** Accepts, and never says anything. */
export const silent: Behaviour = () => undefined;

/** Closes as soon as it has accepted. */
export const closesAtOnce: Behaviour = (socket) => socket.end();

/** Closes when it has read the request, without an answer. */
export const closesAfterRequest = afterRequest((socket) => socket.end());

/** Resets the connection when it has read the request. */
export const resets = afterRequest((socket) => socket.resetAndDestroy());

/** Sends its status line a byte a second. */
export const bytePerSecond = afterRequest((socket) => drip(socket, "HTTP/1.1 200 OK\r\n"[Symbol.iterator](), 1_000));

/** Sends header lines for ever, as fast as they are read. */
export const endlessHeaders = afterRequest((socket) => {
  socket.write("HTTP/1.1 200 OK\r\n");
  pour(
    socket,
    forever(() => `X-Filler: ${"x".repeat(1_000)}\r\n`),
  );
});

/** Sends a header line each 100 ms, for ever. */
export const slowHeaders = afterRequest((socket) => {
  socket.write("HTTP/1.1 200 OK\r\n");
  drip(
    socket,
    forever((n) => `X-Filler-${n}: x\r\n`),
    100,
  );
});

/** Sends good headers, then a byte of the body each 100 ms, for ever. */
export const tricklingBody = afterRequest((socket) => {
  socket.write("HTTP/1.1 200 OK\r\n\r\n");
  drip(
    socket,
    forever(() => "x"),
    100,
  );
});

/** Sends good headers, then a body without an end, as fast as it is read. */
export const endlessBody = afterRequest((socket) => {
  socket.write("HTTP/1.1 200 OK\r\n\r\n");
  pour(
    socket,
    forever(() => Buffer.alloc(65_536, "x")),
  );
});

const GIGABYTE = 2 ** 30;

/** Announces and sends a body of 1 GB. */
export const gigabyteBody = afterRequest((socket) => {
  socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${GIGABYTE}\r\n\r\n`);
  pour(
    socket,
    times(GIGABYTE / 65_536, () => Buffer.alloc(65_536, "x")),
  );
});

/** Announces ten octets of body, sends four and closes. */
export const shortBody = afterRequest((socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfour"));

/** Breaks off within a chunk. */
export const brokenChunk = afterRequest((socket) =>
  socket.end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nonly this"),
);

/** Gives a chunk a size that is no number. */
export const badChunkSize = afterRequest((socket) =>
  socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nwhat?\r\n0\r\n\r\n"),
);

/** Answers with something that is not HTTP. */
export const notHttp = afterRequest((socket) => socket.end("SSH-2.0-OpenSSH_9.9\r\n\r\n"));

/** Sends 10,000 interim answers and no final one. */
export const endlessInterim = afterRequest((socket) =>
  pour(
    socket,
    times(10_000, () => "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
  ),
);

/** Switches protocols though nobody asked. */
export const switchesProtocols = afterRequest((socket) =>
  socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
);

function* forever<Piece>(make: (n: number) => Piece): Generator<Piece> {
  for (let n = 0; ; n += 1) yield make(n);
}

function* times<Piece>(count: number, make: () => Piece): Generator<Piece> {
  for (let n = 0; n < count; n += 1) yield make();
}
