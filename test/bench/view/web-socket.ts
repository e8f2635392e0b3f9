import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** Joined to the client's key (RFC 6455, 1.3). */
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const TEXT = 0x81;
const MASKED_SMALL = 6;

/** The server's side of a WebSocket (RFC 6455), only what the view's stream uses: sends texts, answers each ping. */
export function acceptWebSocket(request: IncomingMessage, socket: Duplex): (text: string) => void {
  const key = request.headers["sec-websocket-key"] ?? "";
  const accept = createHash("sha1").update(`${key}${GUID}`).digest("base64");
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
  );
  const send = (text: string) => {
    if (socket.writable) socket.write(frame(Buffer.from(text)));
  };
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    if (unmasked(chunk) === "ping") send("pong");
    else socket.end();
  });
  return send;
}

function frame(payload: Buffer): Buffer {
  const head = Buffer.alloc(payload.length < 126 ? 2 : 10);
  head[0] = TEXT;
  if (payload.length < 126) head[1] = payload.length;
  else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(payload.length), 2);
  }
  return Buffer.concat([head, payload]);
}

/** The text of one small frame of a client; undefined where it is another kind of frame. */
function unmasked(chunk: Buffer): string | undefined {
  if (chunk[0] !== TEXT) return undefined;
  const mask = chunk.subarray(2, MASKED_SMALL);
  const payload = chunk.subarray(MASKED_SMALL, MASKED_SMALL + ((chunk[1] ?? 0) & 0x7f));
  return Buffer.from(payload.map((octet, at) => octet ^ (mask[at % 4] ?? 0))).toString();
}
