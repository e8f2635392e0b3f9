import type { TlsClient } from "../../workers/prober/tls/client.ts";

/** A byte stream both ways, of workerd or of Node. */
export interface Wire {
  readable: ReadableStream<Uint8Array>;
  writable: WritableStream<Uint8Array>;
  close(): Promise<unknown>;
}

export interface PumpOptions {
  /** Sent once the handshake is done; without it the pump ends there. */
  request?: string;
  /** Hands the client no more than this many bytes at a time. */
  chunk?: number;
  /** Ends the pump when it holds for the text so far; otherwise the peer's end does. */
  until?: (text: string) => boolean;
}

/** Dials from workerd. */
export async function dialWorkerd(port: number, hostname = "127.0.0.1"): Promise<Wire> {
  const { connect } = await import("cloudflare:sockets");
  return connect({ hostname, port });
}

/** Dials from Node. */
export async function dialNode(port: number, host = "127.0.0.1"): Promise<Wire> {
  const { connect } = await import("node:net");
  const { Duplex } = await import("node:stream");
  const socket = connect({ port, host });
  const { readable, writable } = Duplex.toWeb(socket);
  return {
    readable: readable as unknown as ReadableStream<Uint8Array>,
    writable: writable as unknown as WritableStream<Uint8Array>,
    close: async () => socket.destroy(),
  };
}

/** Runs a client over a wire to its end, and gives the text that came. The client tells the rest: state, fault, info. */
export async function pump(client: TlsClient, wire: Wire, options: PumpOptions = {}): Promise<string> {
  const reader = wire.readable.getReader();
  const writer = wire.writable.getWriter();
  const decoder = new TextDecoder();
  const send = async (bytes: Uint8Array) => {
    // A server that has ended does not read; what it said before counts.
    if (bytes.length > 0) await writer.write(bytes).catch(() => {});
  };
  let text = "";
  let asked = false;
  await send(client.start());
  while (client.state === "handshaking" || client.state === "open") {
    const { value, done } = await reader.read().catch(() => ({ value: undefined, done: true }));
    if (done || !value) break;
    const size = options.chunk ?? value.length;
    for (let at = 0; at < value.length; at += size) {
      const { send: answer, data } = client.receive(value.subarray(at, at + size));
      for (const part of data) text += decoder.decode(part, { stream: true });
      await send(answer);
    }
    if (client.state === "open" && !asked) {
      if (options.request === undefined) break;
      asked = true;
      await send(client.encrypt(new TextEncoder().encode(options.request)));
    }
    if (options.until?.(text)) break;
  }
  await send(client.close());
  reader.releaseLock();
  await wire.close().catch(() => {});
  return text;
}
