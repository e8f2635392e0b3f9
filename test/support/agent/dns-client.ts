import { execFile } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { promisify } from "node:util";
import dnsPacket, { type DecodedPacket, type Packet, RECURSION_DESIRED } from "dns-packet";

const TIMEOUT_MS = 5_000;

export interface Ask {
  port: number;
  name: string;
  type?: string;
  tcp?: boolean;
}

export type Reply = DecodedPacket & { rcode: string };

/** A query on the wire; `more` adds or replaces its parts. */
export function query(name: string, type = "A", more: Partial<Packet> = {}): Buffer {
  const questions = [{ name, type: type as "A", class: "IN" as const }];
  return dnsPacket.encode({ type: "query", id: 4242, flags: RECURSION_DESIRED, questions, ...more });
}

export const decode = (bytes: Buffer) => dnsPacket.decode(bytes) as Reply;

/** Sends bytes to the server over UDP and waits for what comes back. */
export async function askUdp(port: number, bytes: Buffer): Promise<Buffer> {
  const socket = createSocket("udp4");
  try {
    const answered = once(socket, "message", { signal: AbortSignal.timeout(TIMEOUT_MS) });
    socket.send(bytes, port, "127.0.0.1");
    const [message] = (await answered) as [Buffer];
    return message;
  } finally {
    socket.close();
  }
}

/** Sends the chunks over one TCP connection and reads as many messages as expected. */
export async function askTcp(port: number, chunks: readonly Buffer[], expected: number): Promise<Buffer[]> {
  const socket = connect(port, "127.0.0.1");
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error("no answer over TCP")));
  try {
    for (const chunk of chunks) {
      socket.write(chunk);
      await new Promise((resolve) => setImmediate(resolve));
    }
    let received = Buffer.alloc(0);
    const messages: Buffer[] = [];
    for await (const data of socket) {
      received = Buffer.concat([received, data as Buffer]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0);
        messages.push(received.subarray(2, end));
        received = received.subarray(end);
      }
      if (messages.length >= expected) break;
    }
    return messages;
  } finally {
    socket.destroy();
  }
}

/** A message with its length in front. */
export function framed(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length, 0);
  return Buffer.concat([length, message]);
}

export async function ask({ port, name, type = "A", tcp = false }: Ask): Promise<Reply> {
  const bytes = query(name, type);
  if (!tcp) return decode(await askUdp(port, bytes));
  const [message] = await askTcp(port, [framed(bytes)], 1);
  if (message === undefined) throw new Error("the server closed the connection");
  return decode(message);
}

/** The sorted addresses at a name, over UDP; `NXDOMAIN` and the like where it answers with an error. */
export async function addresses(port: number, name: string): Promise<string[] | string> {
  const reply = await ask({ port, name });
  if (reply.rcode !== "NOERROR") return reply.rcode;
  return (reply.answers ?? []).flatMap((answer) => (answer.type === "A" ? [answer.data] : [])).sort();
}

export const HAS_DIG = existsSync("/usr/bin/dig");

/** The lines that dig prints for a query, or undefined where dig is not installed. */
export async function dig(port: number, ...args: string[]): Promise<string[] | undefined> {
  if (!HAS_DIG) return undefined;
  const { stdout } = await promisify(execFile)("/usr/bin/dig", ["@127.0.0.1", "-p", `${port}`, "+tries=1", ...args]);
  return stdout.split("\n").filter((line) => line !== "");
}
