import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, isIPv6, type Server, type Socket } from "node:net";
import { respond, type Zones } from "./respond.ts";

const MAX_CONNECTIONS = 256;
const MAX_PORT_ATTEMPTS = 10;

export interface DnsServer {
  port: number;
  /** Answers from these zones from now on; a query sees either all of the old or all of the new ones. */
  serve(zones: Zones): void;
  close(): Promise<void>;
}

export interface DnsServerOptions {
  address: string;
  /** 0 lets the system choose one that is free for UDP and TCP. */
  port: number;
  /** How long a TCP connection may be idle, in milliseconds. */
  idleTimeoutMs?: number;
  random?: () => number;
  onError: (message: string) => void;
}

const DEFAULT_IDLE_TIMEOUT_MS = 10_000;

/** Starts the authoritative server on UDP and TCP. Rejects with the system's error (`EADDRINUSE`) when it cannot bind. */
export async function startDnsServer(options: DnsServerOptions): Promise<DnsServer> {
  const random = options.random ?? Math.random;
  let zones: Zones = new Map();
  const connections = new Set<Socket>();
  const tcp = createServer((socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
    const answer = (query: Buffer) => respond(query, "tcp", zones, random);
    serveConnection(socket, answer, options.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS);
  });
  tcp.maxConnections = MAX_CONNECTIONS;
  const { port, udp } = await bindBoth(tcp, options);
  udp.on("message", (query, peer) => {
    const answer = respond(query, "udp", zones, random);
    if (answer !== undefined) udp.send(answer, peer.port, peer.address, () => {});
  });
  udp.on("error", (error) => options.onError(`DNS over UDP: ${error.message}`));
  tcp.on("error", (error) => options.onError(`DNS over TCP: ${error.message}`));
  return {
    port,
    serve: (next) => {
      zones = next;
    },
    close: async () => {
      await Promise.all([closed(tcp, connections), new Promise<void>((resolve) => udp.close(() => resolve()))]);
    },
  };
}

/** With port 0, a number that is free for TCP can be taken for UDP: another one is tried then. */
async function bindBoth(tcp: Server, options: DnsServerOptions): Promise<{ port: number; udp: UdpSocket }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await listen(tcp, options);
    try {
      return { port, udp: await bind(options.address, port) };
    } catch (error) {
      await closed(tcp, new Set());
      if (options.port !== 0 || attempt === MAX_PORT_ATTEMPTS) throw error;
    }
  }
}

async function listen(server: Server, { address, port }: DnsServerOptions): Promise<number> {
  server.listen(port, address);
  await once(server, "listening");
  const bound = server.address();
  return typeof bound === "object" && bound !== null ? bound.port : port;
}

async function bind(address: string, port: number): Promise<UdpSocket> {
  const socket = createSocket(isIPv6(address) ? "udp6" : "udp4");
  try {
    socket.bind(port, address);
    await once(socket, "listening");
    return socket;
  } catch (error) {
    socket.close();
    throw error;
  }
}

async function closed(server: Server, connections: ReadonlySet<Socket>): Promise<void> {
  const done = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const socket of connections) socket.destroy();
  await done;
}

const LENGTH_BYTES = 2;
/** A client that asks and does not read is cut off once this much waits for it. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/**
 * Answers the queries of one connection in order (RFC 7766). Each query has a length prefix of two octets. Several may
 * share a segment, or one may span many. The connection ends after `idleTimeoutMs` without a whole query.
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
