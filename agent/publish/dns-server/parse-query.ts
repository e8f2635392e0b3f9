import dnsPacket, { type OptAnswer, type Packet } from "dns-packet";

const HEADER_BYTES = 12;
const RESPONSE_BIT = 0x8000;
const MAX_NAME_OCTETS = 255;
const LABEL = /^[!--/-~]+$/;
/** A query holds at most OPT, TSIG and SIG(0) behind its question; more is no query. */
const MAX_ADDITIONALS = 4;

/** What a query asks, with the bytes of its question, which an answer repeats as they came (0x20 case included). */
export interface Query {
  id: number;
  flags: number;
  name: string;
  type: string;
  class: number;
  questionBytes: Buffer;
  edns?: { payloadBytes: number; version: number };
}

/** `Malformed` gets FORMERR, `UnknownOpcode` NOTIMP; `Silence` gets no answer: it is no query, or too short to answer. */
export type Parsed =
  | { kind: "Query"; query: Query }
  | { kind: "Malformed" | "UnknownOpcode"; id: number; flags: number }
  | { kind: "Silence" };

/** Reads a query from the wire. Never throws, whatever the bytes are; a response is never answered (it could loop). */
export function parseQuery(bytes: Buffer): Parsed {
  if (bytes.length < HEADER_BYTES) return { kind: "Silence" };
  const id = bytes.readUInt16BE(0);
  const flags = bytes.readUInt16BE(2);
  if ((flags & RESPONSE_BIT) !== 0) return { kind: "Silence" };
  if (((flags >> 11) & 0xf) !== 0) return { kind: "UnknownOpcode", id, flags };
  const question = hasOneQuestion(bytes) ? readQuestion(bytes) : undefined;
  const packet = question && decoded(bytes);
  const options = (packet?.additionals ?? []).filter((record) => record.type === "OPT") as OptAnswer[];
  const type = packet?.questions?.[0]?.type;
  if (question === undefined || type === undefined || options.length > 1) return { kind: "Malformed", id, flags };
  const [option] = options;
  return {
    kind: "Query",
    query: {
      id,
      flags,
      name: question.name,
      type,
      class: bytes.readUInt16BE(question.end - 2),
      questionBytes: bytes.subarray(HEADER_BYTES, question.end),
      ...(option && { edns: { payloadBytes: option.udpPayloadSize, version: option.ednsVersion } }),
    },
  };
}

function hasOneQuestion(bytes: Buffer): boolean {
  const [questions, answers, authorities, additionals] = [4, 6, 8, 10].map((at) => bytes.readUInt16BE(at));
  return questions === 1 && answers === 0 && authorities === 0 && (additionals ?? 0) <= MAX_ADDITIONALS;
}

/**
 * The first question. The name must be uncompressed, because nothing precedes it. It must be visible ASCII, because no
 * other name can be in a zone.
 */
function readQuestion(bytes: Buffer): { name: string; end: number } | undefined {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (;;) {
    const length = bytes[at];
    if (length === undefined || length > 63 || at - HEADER_BYTES + length + 1 > MAX_NAME_OCTETS) return undefined;
    const label = bytes.toString("latin1", at + 1, at + 1 + length);
    at += 1 + length;
    if (length === 0) break;
    if (!LABEL.test(label)) return undefined;
    labels.push(label);
  }
  const end = at + 4;
  return end <= bytes.length ? { name: labels.join("."), end } : undefined;
}

function decoded(bytes: Buffer): Packet | undefined {
  try {
    return dnsPacket.decode(bytes);
  } catch {
    return undefined;
  }
}
