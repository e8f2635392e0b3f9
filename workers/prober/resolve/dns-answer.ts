import { decode } from "dns-packet";

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
