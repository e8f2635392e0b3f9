import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Answer } from "dns-packet";
import { decode, encode } from "dns-packet";

/** Response codes beside NOERROR; dns-packet takes them in the flags. */
const RCODES = { SERVFAIL: 2, NXDOMAIN: 3 } as const;

/** What a name answers: records, whatever the family asked for, or a failure. `Platform` is an answer made on the way. */
export type Zone = Readonly<Record<string, readonly Answer[] | keyof typeof RCODES | "Platform" | "Silence">>;

/** A DNS over HTTPS resolver (RFC 8484, POST) on 127.0.0.1; names that the zone does not have are NXDOMAIN. */
export async function serveResolver(zone: Zone): Promise<{ port: number; close: () => Promise<void> }> {
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const query = decode(Buffer.concat(pieces));
    const [question] = query.questions ?? [];
    const entry = zone[question?.name ?? ""] ?? "NXDOMAIN";
    if (entry === "Silence") return;
    if (entry === "Platform") {
      response.writeHead(530, { "content-type": "text/plain" }).end("error code: 1016");
      return;
    }
    const answers =
      typeof entry === "string" ? [] : entry.filter(({ type }) => type === "CNAME" || type === question?.type);
    const flags = typeof entry === "string" ? RCODES[entry] : 0;
    const message = encode({ type: "response", id: 0, flags, questions: query.questions ?? [], answers: [...answers] });
    response.writeHead(200, { "content-type": "application/dns-message" }).end(message);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { port: (server.address() as AddressInfo).port, close };
}
