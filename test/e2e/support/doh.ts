import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Answer, decode, encode, RECURSION_AVAILABLE, RECURSION_DESIRED } from "dns-packet";

/** A resolver by RFC 8484 (DNS over HTTPS, here without TLS) that knows only the configured names. */
export type Doh = {
  url: string;
  /** The addresses of a name from now on; none makes it NXDOMAIN. */
  set(name: string, addresses: readonly string[]): void;
  /** Every name that was asked for, with its type. */
  readonly asked: string[];
  stop(): Promise<void>;
};

export async function startDoh(): Promise<Doh> {
  const zone = new Map<string, readonly string[]>();
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const dns = new URL(request.url ?? "/", "http://doh").searchParams.get("dns");
    const wire = request.method === "GET" ? Buffer.from(dns ?? "", "base64url") : Buffer.concat(chunks);
    response.writeHead(200, { "content-type": "application/dns-message" });
    response.end(answer(wire, zone, asked));
  });
  server.listen({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/dns-query`,
    asked,
    set: (name, addresses) => void zone.set(name, addresses),
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function answer(wire: Buffer, zone: ReadonlyMap<string, readonly string[]>, asked: string[]): Buffer {
  const query = decode(wire);
  const question = query.questions?.[0];
  if (question === undefined) throw new Error("a DNS query without a question");
  asked.push(`${question.name} ${question.type}`);
  const family = question.type === "AAAA" ? ":" : ".";
  const addresses = zone.get(question.name.toLowerCase()) ?? [];
  const answers = addresses
    .filter((address) => address.includes(family))
    .map((data) => ({ type: question.type, name: question.name, ttl: 1, data }) as Answer);
  const NXDOMAIN = 3;
  const flags = RECURSION_DESIRED | RECURSION_AVAILABLE | (addresses.length === 0 ? NXDOMAIN : 0);
  return encode({ type: "response", id: query.id ?? 0, flags, questions: [question], answers });
}
