import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type DecodedPacket, decode, encode, RECURSION_DESIRED } from "dns-packet";

/** What a client sees: the response code and the sorted addresses, or the name that a CNAME leads out to. */
export type Answer = { code: string; targets: string[] };

export type Question = { name: string; type: "A" | "AAAA" };

const TIMEOUT_MS = 2_000;

/** Asks a DNS server over UDP, as a resolver would. Throws where no answer comes within two seconds. */
export async function askDns(server: { host: string; port: number }, question: Question): Promise<Answer> {
  const socket = createSocket("udp4");
  try {
    const id = Math.floor(Math.random() * 65_536);
    const query = encode({ type: "query", id, flags: RECURSION_DESIRED, questions: [{ ...question, class: "IN" }] });
    const answered = once(socket, "message", { signal: AbortSignal.timeout(TIMEOUT_MS) });
    socket.send(query, server.port, server.host);
    const [message] = (await answered) as [Buffer];
    return readAnswer(decode(message));
  } finally {
    socket.close();
  }
}

function readAnswer(packet: DecodedPacket): Answer {
  const answers = packet.answers ?? [];
  const addresses = answers.flatMap((answer) => (answer.type === "A" || answer.type === "AAAA" ? [answer.data] : []));
  const names = answers.flatMap((answer) => (answer.type === "CNAME" ? [answer.data] : []));
  const targets = addresses.length > 0 ? addresses : names.slice(-1);
  return { code: (packet as { rcode?: string }).rcode ?? "NOERROR", targets: [...new Set(targets)].sort() };
}
