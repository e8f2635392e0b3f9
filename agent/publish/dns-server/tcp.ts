import type { Socket } from "node:net";

const LENGTH_BYTES = 2;
/** A client that asks and does not read is cut off once this much waits for it. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/**
 * Answers the queries of one connection in the order they come (RFC 7766): each has its length in two octets in front,
 * and several may share a segment or be torn over many. The connection ends after `idleTimeoutMs` without a whole query.
 */
export function serveConnection(
  socket: Socket,
  answer: (query: Buffer) => Buffer | undefined,
  idleTimeoutMs: number,
): void {
  let pending: Buffer = Buffer.alloc(0);
  const destroy = () => socket.destroy();
  let idle = setTimeout(destroy, idleTimeoutMs);
  socket.once("close", () => clearTimeout(idle));
  socket.on("error", destroy);
  socket.on("data", (data: Buffer) => {
    pending = Buffer.concat([pending, data]);
    for (let query = firstMessage(pending); query !== undefined; query = firstMessage(pending)) {
      pending = pending.subarray(LENGTH_BYTES + query.length);
      clearTimeout(idle);
      idle = setTimeout(destroy, idleTimeoutMs);
      const reply = answer(query);
      if (reply === undefined) destroy();
      else socket.write(framed(reply));
    }
    if (socket.writableLength > MAX_UNREAD_BYTES) socket.destroy();
  });
}

function firstMessage(bytes: Buffer): Buffer | undefined {
  if (bytes.length < LENGTH_BYTES) return undefined;
  const end = LENGTH_BYTES + bytes.readUInt16BE(0);
  return bytes.length < end ? undefined : bytes.subarray(LENGTH_BYTES, end);
}

function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt16BE(message.length, 0);
  return Buffer.concat([length, message]);
}
