import dnsPacket, { type Answer, AUTHORITATIVE_ANSWER, type Packet, TRUNCATED_RESPONSE } from "dns-packet";
import { type Found, lookup } from "./lookup.ts";
import { type Parsed, parseQuery, type Query } from "./parse-query.ts";
import { parentOf, type Zone } from "./zone.ts";

export type Zones = ReadonlyMap<string, Zone>;

/** What this server sends over UDP at most: it passes every common path unfragmented (DNS flag day 2020). */
export const MAX_UDP_BYTES = 1232;
const PLAIN_UDP_BYTES = 512;
const MAX_TCP_BYTES = 65_535;
const SOA_TTL_SECONDS = 3600;
const HEADER_BYTES = 12;

const RCODE = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5, BADVERS: 16 } as const;
type Rcode = keyof typeof RCODE;
type Content = { rcode: Rcode; answers?: Answer[]; authorities?: Answer[]; authoritative?: boolean };

const RECURSION_DESIRED_AND_CHECKING = 0x0110;
const CLASS_IN = 1;
const CLASS_ANY = 255;
/** Zones are not handed out whole: the answers are public, the list of names need not be. */
const REFUSED_TYPES = ["AXFR", "IXFR", "UNKNOWN_253", "UNKNOWN_254", "MAILA", "MAILB"];

/**
 * The answer to one DNS message, or undefined where none is to be sent. Whatever the bytes are, it does not throw.
 *
 * @param random from 0 (included) to 1 (excluded), for weighted sets
 */
export function respond(
  bytes: Buffer,
  transport: "udp" | "tcp",
  zones: Zones,
  random: () => number,
): Buffer | undefined {
  const parsed = parseQuery(bytes);
  if (parsed.kind === "Silence") return undefined;
  if (parsed.kind !== "Query") return bare(parsed, parsed.kind === "Malformed" ? "FORMERR" : "NOTIMP");
  const { query } = parsed;
  const limit = transport === "tcp" ? MAX_TCP_BYTES : udpLimit(query);
  try {
    const whole = encode(query, contentFor(query, zones, random));
    if (whole.length <= limit) return whole;
    return encode(
      query,
      { rcode: transport === "tcp" ? "SERVFAIL" : "NOERROR", authoritative: true },
      TRUNCATED_RESPONSE,
    );
  } catch {
    return bare(query, "SERVFAIL");
  }
}

function udpLimit({ edns }: Query): number {
  return edns === undefined ? PLAIN_UDP_BYTES : Math.min(MAX_UDP_BYTES, Math.max(PLAIN_UDP_BYTES, edns.payloadBytes));
}

function contentFor(query: Query, zones: Zones, random: () => number): Content {
  if (query.edns !== undefined && query.edns.version !== 0) return { rcode: "BADVERS" };
  if (query.class !== CLASS_IN && query.class !== CLASS_ANY) return { rcode: "REFUSED" };
  if (REFUSED_TYPES.includes(query.type)) return { rcode: "REFUSED" };
  const zone = zoneOf(zones, query.name.toLowerCase());
  return zone === undefined ? { rcode: "REFUSED" } : fromZone(zone, query, random);
}

/** The zone with the longest apex above the name. */
function zoneOf(zones: Zones, name: string): Zone | undefined {
  for (let at: string | undefined = name; at !== undefined; at = parentOf(at)) {
    const zone = zones.get(at);
    if (zone !== undefined) return zone;
  }
  return undefined;
}

function fromZone(zone: Zone, { name, type }: Query, random: () => number): Content {
  if (name.toLowerCase() === zone.apex && type === "SOA") return found([soaOf(zone, name, SOA_TTL_SECONDS)]);
  if (name.toLowerCase() === zone.apex && type === "NS")
    return found(zone.nameServers.map((server) => nsOf(name, server)));
  const result = lookup(zone, name, type === "ANY" ? "A" : type, random);
  const answers = result.found.map(toAnswer);
  switch (result.end) {
    case "Answer":
    case "LeftZone":
      return found(type === "ANY" ? [minimalAny(name)] : answers);
    case "Undecided":
      return { rcode: "SERVFAIL" };
    case "NoData":
      return type === "ANY" ? found([minimalAny(name)]) : negative(zone, "NOERROR", answers);
    case "NoName":
      return negative(zone, "NXDOMAIN", answers);
  }
}

const found = (answers: Answer[]): Content => ({ rcode: "NOERROR", authoritative: true, answers });

/** RFC 2308 §3: the SOA in a negative answer says by its TTL how long the answer may be kept. */
function negative(zone: Zone, rcode: "NOERROR" | "NXDOMAIN", answers: Answer[]): Content {
  const soa = soaOf(zone, zone.apex, Math.min(SOA_TTL_SECONDS, zone.negativeTtlSeconds));
  return { rcode, authoritative: true, answers, authorities: [soa] };
}

function soaOf(zone: Zone, name: string, ttl: number): Answer {
  return {
    type: "SOA",
    name,
    ttl,
    data: {
      mname: zone.nameServers[0] ?? zone.apex,
      rname: zone.contact,
      serial: zone.serial,
      refresh: 3600,
      retry: 600,
      expire: 604_800,
      minimum: zone.negativeTtlSeconds,
    },
  };
}

const nsOf = (name: string, data: string): Answer => ({ type: "NS", name, ttl: SOA_TTL_SECONDS, data });

/** RFC 8482 §4.2: an answer to ANY that says as little as it may. */
const minimalAny = (name: string): Answer => ({
  type: "HINFO",
  name,
  ttl: SOA_TTL_SECONDS,
  data: { cpu: "RFC8482", os: "" },
});

function toAnswer({ name, type, ttl, data }: Found): Answer {
  return { name, type, ttl, data };
}

/** The question goes back byte for byte as it came; dns-packet points at no name, so nothing shifts. */
function encode(query: Query, content: Content, extraFlags = 0): Buffer {
  const rcode = RCODE[content.rcode];
  const flags = query.flags & RECURSION_DESIRED_AND_CHECKING;
  const packet: Packet = {
    type: "response",
    id: query.id,
    flags: flags | (content.authoritative ? AUTHORITATIVE_ANSWER : 0) | extraFlags | (rcode & 0xf),
    answers: content.answers ?? [],
    authorities: content.authorities ?? [],
    additionals: query.edns === undefined ? [] : [optOf(rcode)],
  };
  const bytes = dnsPacket.encode(packet);
  bytes.writeUInt16BE(1, 4);
  return Buffer.concat([bytes.subarray(0, HEADER_BYTES), query.questionBytes, bytes.subarray(HEADER_BYTES)]);
}

function optOf(rcode: number): Answer {
  return {
    type: "OPT",
    name: ".",
    udpPayloadSize: MAX_UDP_BYTES,
    extendedRcode: rcode >> 4,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [],
  };
}

/** An answer without a question, for a message whose question could not be read. */
function bare({ id, flags }: Exclude<Parsed, { kind: "Silence" | "Query" }> | Query, rcode: Rcode): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.writeUInt16BE(id, 0);
  bytes.writeUInt16BE(0x8000 | (flags & (0x7800 | RECURSION_DESIRED_AND_CHECKING)) | RCODE[rcode], 2);
  return bytes;
}
