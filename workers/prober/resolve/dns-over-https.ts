import { decode, encode, RECURSION_DESIRED } from "dns-packet";
import { EXPIRED, withDeadline } from "../dial/deadline.ts";

const DNS_MESSAGE = "application/dns-message";
const MAX_MESSAGE_OCTETS = 65_535;

/**
 * Asks a DNS over HTTPS resolver (RFC 8484). Anything but a DNS message with status 200 is a fault on the way, not the resolver's
 * answer. The platform makes answers of its own (525, 530, `error code: 10xx`).
 */
export async function queryResolver(url: string, name: string, family: Family, timeoutMs: number): Promise<DnsAnswer> {
  const abort = new AbortController();
  try {
    return await withDeadline(timeoutMs, async (deadline) => {
      const answer = await deadline.race(exchange(url, name, family, abort.signal));
      return answer === EXPIRED ? { trouble: `the resolver did not answer within ${timeoutMs} ms` } : answer;
    });
  } catch {
    return { trouble: "the resolver could not be reached" };
  } finally {
    abort.abort();
  }
}

async function exchange(url: string, name: string, family: Family, signal: AbortSignal): Promise<DnsAnswer> {
  const query = encode({ type: "query", id: 0, flags: RECURSION_DESIRED, questions: [{ type: family, name }] });
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": DNS_MESSAGE, accept: DNS_MESSAGE },
    body: new Uint8Array(query),
    redirect: "manual",
    signal,
  });
  if (response.status !== 200 || response.headers.get("content-type")?.split(";")[0]?.trim() !== DNS_MESSAGE) {
    await response.body?.cancel();
    return { trouble: `the resolver answered with status ${response.status} and no DNS message` };
  }
  const message = await readBounded(response.body);
  return message === undefined
    ? { trouble: "the resolver's answer is too long" }
    : readDnsAnswer(message, name, family);
}

async function readBounded(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let octets = 0;
  for await (const piece of body ?? []) {
    octets += piece.length;
    if (octets > MAX_MESSAGE_OCTETS) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

export type Family = "A" | "AAAA";

/** What one DNS answer says: addresses (none for NXDOMAIN and NODATA alike), or that it is no answer to build on. */
export type DnsAnswer = { addresses: string[]; ttlMs: number } | { trouble: string };

const MAX_ALIASES = 16;
const NO_ADDRESS_TTL_S = 5;

/** Reads a DNS message that answers for `name`, following the CNAMEs within it. */
export function readDnsAnswer(message: Uint8Array, name: string, family: Family): DnsAnswer {
  let packet: ReturnType<typeof decode> & { rcode?: string };
  try {
    packet = decode(Buffer.from(message));
  } catch {
    return { trouble: "the resolver's answer is not a DNS message" };
  }
  if (packet.rcode === "NXDOMAIN") return { addresses: [], ttlMs: NO_ADDRESS_TTL_S * 1_000 };
  if (packet.rcode !== "NOERROR") return { trouble: `the resolver answered ${packet.rcode}` };
  return follow(packet.answers ?? [], name, family);
}

function follow(answers: Answers, name: string, family: Family): DnsAnswer {
  let owner = canonical(name);
  let ttlS = Number.POSITIVE_INFINITY;
  for (let aliases = 0; aliases <= MAX_ALIASES; aliases += 1) {
    const own = answers.filter((answer) => canonical(answer.name) === owner);
    const found = own.flatMap((answer) => (answer.type === family ? [answer] : []));
    if (found.length > 0) {
      ttlS = Math.min(ttlS, ...found.map((answer) => answer.ttl ?? 0));
      return { addresses: found.map((answer) => answer.data), ttlMs: ttlS * 1_000 };
    }
    const alias = own.flatMap((answer) => (answer.type === "CNAME" ? [answer] : []))[0];
    if (alias === undefined) return { addresses: [], ttlMs: NO_ADDRESS_TTL_S * 1_000 };
    ttlS = Math.min(ttlS, alias.ttl ?? 0);
    owner = canonical(alias.data);
  }
  return { trouble: `the answer has more than ${MAX_ALIASES} CNAMEs in a row` };
}
type Answers = NonNullable<ReturnType<typeof decode>["answers"]>;

function canonical(name: string): string {
  return name.replace(/\.$/, "").toLowerCase();
}
