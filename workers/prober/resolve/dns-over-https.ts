import { encode, RECURSION_DESIRED } from "dns-packet";
import { EXPIRED, withDeadline } from "../dial/deadline.ts";
import type { DnsAnswer, Family } from "./dns-answer.ts";
import { readDnsAnswer } from "./dns-answer.ts";

const DNS_MESSAGE = "application/dns-message";
const MAX_MESSAGE_OCTETS = 65_535;

/**
 * Asks a DNS over HTTPS resolver (RFC 8484). Whatever is not a DNS message with status 200 is trouble on the way, not
 * the resolver's word: the platform makes answers of its own (525, 530, `error code: 10xx`).
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
