import ipaddr from "ipaddr.js";
import { z } from "zod";
import { canonicalAddress } from "../../../shared/model/address.ts";
import { canonicalHost } from "../../../shared/model/host.ts";

/** What DNS can point to: canonical, sorted and unique. */
export interface Targets {
  ips: readonly string[];
  hosts: readonly string[];
}

/** A Gateway's `status.addresses`. */
export interface Addresses extends Targets {
  /** Entries that DNS cannot hold, such as a `NamedAddress`. */
  unsupported: readonly string[];
  /** Entries that cannot be read and so may stand for any address. */
  unreadable: readonly string[];
}

type Entry = { kind: "Ip" | "Host" | "Unsupported" | "Unreadable"; text: string };

const entryShape = z.looseObject({ type: z.string().default("IPAddress"), value: z.string() });
const statusShape = z.looseObject({ addresses: z.array(z.unknown()).default([]) });
const DNS_TYPES: ReadonlySet<string> = new Set(["IPAddress", "Hostname"]);
const UNSPECIFIED: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);
const MAX_SHOWN = 80;

/** Reads the addresses of a Gateway from its status. A missing status has none. It never throws. */
export function readAddresses(status: unknown): Addresses {
  const shape = statusShape.safeParse(status ?? {});
  if (!shape.success) return { ips: [], hosts: [], unsupported: [], unreadable: ["status.addresses is no list"] };
  const entries = shape.data.addresses.map(readEntry);
  const of = (kind: Entry["kind"]) => sortedUnique(entries.filter((one) => one.kind === kind).map(({ text }) => text));
  return { ips: of("Ip"), hosts: of("Host"), unsupported: of("Unsupported"), unreadable: of("Unreadable") };
}

function readEntry(raw: unknown): Entry {
  const entry = entryShape.safeParse(raw);
  if (!entry.success) return { kind: "Unreadable", text: shown(raw) };
  const { type, value } = entry.data;
  if (!DNS_TYPES.has(type)) return { kind: "Unsupported", text: `${type} ${shown(value)}` };
  const target = readTarget(value);
  if (target === undefined) return { kind: "Unreadable", text: `${type} ${shown(value)}` };
  return UNSPECIFIED.has(target.text) ? { kind: "Unsupported", text: `${type} ${target.text}` } : target;
}

/**
 * Reads a target by its value and not by its type, since some Gateways give an address as a host name. An IPv4-mapped
 * IPv6 address (`::ffff:192.0.2.1`) is IPv4.
 */
function readTarget(text: string): { kind: "Ip" | "Host"; text: string } | undefined {
  const address = canonicalAddress(text);
  if (address !== undefined) return { kind: "Ip", text: unmapped(address) };
  const result = canonicalHost(text);
  return "host" in result ? { kind: "Host", text: result.host } : undefined;
}

function unmapped(address: string): string {
  const parsed = ipaddr.process(address);
  return parsed.kind() === "ipv4" ? parsed.toString() : address;
}

/**
 * The targets of a Gateway's record. An empty address list keeps the last targets. A list with an unreadable entry
 * removes none, since that entry may stand for any of them. The health check keeps a dead address out of DNS, but
 * nothing would bring back a live one that was dropped.
 *
 * @param last the current targets of the record
 */
export function effectiveTargets(read: Addresses, last: Iterable<string>): Targets {
  const isEmpty = read.ips.length + read.hosts.length === 0;
  if (!isEmpty && read.unreadable.length === 0) return { ips: read.ips, hosts: read.hosts };
  const kept = [...last].flatMap((text) => readTarget(text) ?? []);
  const joined = (kind: "Ip" | "Host", now: readonly string[]) =>
    sortedUnique([...now, ...kept.filter((target) => target.kind === kind).map(({ text }) => text)]);
  return { ips: joined("Ip", read.ips), hosts: joined("Host", read.hosts) };
}

const sortedUnique = (texts: readonly string[]): string[] => [...new Set(texts)].sort();

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
