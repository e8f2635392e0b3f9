import { addressFamily } from "../../../shared/model/address.ts";
import type { Endpoint, RecordType } from "../../../shared/model/endpoint.ts";
import type { Settings } from "../../runtime/settings-schema.ts";

/** The record sets of one name by type. Several sets of one type differ in their setIdentifier. */
export type Node = ReadonlyMap<RecordType, readonly Endpoint[]>;

export interface Zone {
  apex: string;
  /** By name in lower case; a wildcard owner is stored as `*.name`. */
  nodes: ReadonlyMap<string, Node>;
  /** Names that exist only because something below them does (RFC 8020: no data, not NXDOMAIN). */
  emptyNames: ReadonlySet<string>;
  nameServers: readonly string[];
  contact: string;
  serial: number;
  negativeTtlSeconds: number;
  /**
   * Nobody has said yet what a host of this zone has. What is not found is then SERVFAIL, so that a resolver asks
   * another server, and not an NXDOMAIN that it would keep.
   */
  undecided: boolean;
}

export interface NameServer {
  name: string;
  /** Answered for `name` where it lies in the zone. */
  address?: string;
}

export interface ZoneSettings {
  /** Given names; without any, each zone has `ns.<apex>` at `defaultAddress`. */
  nameServers: readonly NameServer[];
  defaultAddress?: string;
  negativeTtlSeconds: number;
}

/** The SOA and NS records of the zones. Without name servers in the settings it is this server, if its address is known. */
export function zoneSettings({ nameServers = [], dnsAddress, negativeTtlMs }: Settings): ZoneSettings {
  const isWildcard = dnsAddress === "0.0.0.0" || dnsAddress === "::";
  return {
    nameServers,
    ...(!isWildcard && { defaultAddress: dnsAddress }),
    negativeTtlSeconds: Math.round(negativeTtlMs / 1000),
  };
}

/** One root host and what it has in DNS; `undefined` while nobody has decided that. */
export interface PublishedHost {
  rootHost: string;
  endpoints: readonly Endpoint[] | undefined;
}

const NAME_SERVER_TTL_SECONDS = 3600;

/** The zone that a root host lives in: the host itself, and for `*.example.com` that is `example.com`. */
export function apexOf(rootHost: string): string {
  return rootHost.replace(/^\*\./, "");
}

/** One zone for each apex. A host and the wildcard under it (`x` and `*.x`) share theirs. */
export function buildZones(hosts: readonly PublishedHost[], serial: number, settings: ZoneSettings): Map<string, Zone> {
  const byApex = Map.groupBy(hosts, ({ rootHost }) => apexOf(rootHost));
  return new Map([...byApex].map(([apex, inZone]) => [apex, buildZone(apex, inZone, serial, settings)]));
}

function buildZone(apex: string, hosts: readonly PublishedHost[], serial: number, settings: ZoneSettings): Zone {
  const nameServers = nameServersOf(apex, settings);
  const endpoints = hosts.flatMap((host) => host.endpoints ?? []);
  const taken = new Set(endpoints.map(({ dnsName }) => dnsName));
  const glue = nameServers.filter(({ name }) => !taken.has(name)).flatMap((server) => glueOf(apex, server));
  const nodes = nodesOf([...endpoints, ...glue]);
  return {
    apex,
    nodes,
    emptyNames: emptyNamesOf(apex, nodes),
    nameServers: [...new Set(nameServers.map(({ name }) => name))],
    contact: `hostmaster.${apex}`,
    serial,
    negativeTtlSeconds: settings.negativeTtlSeconds,
    undecided: hosts.some((host) => host.endpoints === undefined),
  };
}

function nameServersOf(apex: string, settings: ZoneSettings): readonly NameServer[] {
  if (settings.nameServers.length > 0) return settings.nameServers;
  const { defaultAddress } = settings;
  return [{ name: `ns.${apex}`, ...(defaultAddress !== undefined && { address: defaultAddress }) }];
}

function glueOf(apex: string, { name, address }: NameServer): Endpoint[] {
  if (address === undefined || (name !== apex && !name.endsWith(`.${apex}`))) return [];
  const recordType = addressFamily(address) === "IPv6" ? "AAAA" : "A";
  return [{ dnsName: name, recordType, recordTTL: NAME_SERVER_TTL_SECONDS, targets: [address] }];
}

function nodesOf(endpoints: readonly Endpoint[]): Map<string, Node> {
  const byName = Map.groupBy(endpoints, ({ dnsName }) => dnsName);
  return new Map([...byName].map(([name, sets]) => [name, Map.groupBy(sets, ({ recordType }) => recordType)]));
}

function emptyNamesOf(apex: string, nodes: ReadonlyMap<string, Node>): Set<string> {
  const names = new Set([apex]);
  for (const name of nodes.keys()) {
    for (let up: string | undefined = name; up !== undefined && up !== apex; up = parentOf(up)) names.add(up);
  }
  for (const name of nodes.keys()) names.delete(name);
  return names;
}

/** The name without its first label, undefined for a name of one label. */
export function parentOf(name: string): string | undefined {
  const dot = name.indexOf(".");
  return dot < 0 ? undefined : name.slice(dot + 1);
}
