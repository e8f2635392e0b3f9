import type { Endpoint, RecordType } from "../../../shared/model/endpoint.ts";
import { routingOf } from "../../../shared/record/routing.ts";
import { type Node, parentOf, type Zone } from "./zone.ts";

const MAX_CHAIN = 16;

/** One record of an answer; `data` is an address, or a host name with type CNAME. */
export interface Found {
  name: string;
  type: RecordType;
  ttl: number;
  data: string;
}

/**
 * What a zone says of a name: the records found (a chain of CNAMEs in front, where there is one), and how the search
 * ended. `NoData`, `NoName` and `Undecided` speak of the last name of the chain (RFC 6604).
 */
export interface Lookup {
  found: Found[];
  end: "Answer" | "NoData" | "NoName" | "Undecided" | "LeftZone";
}

/**
 * Finds `type` at `name` by RFC 1034 §4.3.2, with wildcards by RFC 4592: CNAMEs are followed while they stay in the zone.
 *
 * @param name in the case it was asked in; the answer keeps it
 * @param type any type mnemonic; those a zone cannot hold find no data
 * @param random gives a number from 0 (included) to 1 (excluded), for weighted sets
 */
export function lookup(zone: Zone, name: string, type: string, random: () => number): Lookup {
  const found: Found[] = [];
  const seen = new Set<string>();
  let owner = name;
  while (seen.size < MAX_CHAIN && !seen.has(owner.toLowerCase())) {
    seen.add(owner.toLowerCase());
    if (!isInZone(zone, owner)) return { found, end: "LeftZone" };
    const node = findNode(zone, owner.toLowerCase());
    if (typeof node === "string") return { found, end: zone.undecided ? "Undecided" : node };
    const records = recordsAt(node, owner, type, random);
    if (records.length > 0) return finished(zone, [...found, ...records], "Answer");
    const [alias] = recordsAt(node, owner, "CNAME", random);
    if (alias === undefined) return finished(zone, found, "NoData");
    found.push(alias);
    owner = alias.data;
  }
  return { found, end: "LeftZone" };
}

function isInZone(zone: Zone, name: string): boolean {
  const lower = name.toLowerCase();
  return lower === zone.apex || lower.endsWith(`.${zone.apex}`);
}

function findNode(zone: Zone, name: string): Node | "NoData" | "NoName" {
  const node = zone.nodes.get(name);
  if (node !== undefined) return node;
  if (zone.emptyNames.has(name)) return "NoData";
  let encloser = parentOf(name);
  while (encloser !== undefined && !zone.nodes.has(encloser) && !zone.emptyNames.has(encloser)) {
    encloser = parentOf(encloser);
  }
  return zone.nodes.get(`*.${encloser}`) ?? "NoName";
}

function recordsAt(node: Node, name: string, type: string, random: () => number): Found[] {
  const sets: readonly Endpoint[] = node.get(type as RecordType) ?? [];
  const chosen = chooseSets(sets, sets.length > 1 ? random() : 0);
  const ttl = Math.min(...chosen.map(({ recordTTL }) => recordTTL));
  const targets = new Set(chosen.flatMap((set) => set.targets));
  return [...targets].map((data) => ({ name, type: type as RecordType, ttl, data }));
}

/**
 * A zone's apex holds SOA and NS, and nothing may stand beside a CNAME (RFC 1034 §3.6.2). A chain that starts at the
 * apex and ends in the zone is therefore answered by its addresses, under the apex' own name. One that leaves the zone
 * cannot be: it is answered as it is, which resolvers accept.
 */
function finished(zone: Zone, found: Found[], end: "Answer" | "NoData"): Lookup {
  const [first] = found;
  if (first?.type !== "CNAME" || first.name.toLowerCase() !== zone.apex) return { found, end };
  const last = found.at(-1);
  if (last?.type === "CNAME") return end === "NoData" ? { found: [], end } : { found, end };
  const ttl = Math.min(...found.map((record) => record.ttl));
  return {
    found: found.filter(({ type }) => type !== "CNAME").map((record) => ({ ...record, name: first.name, ttl })),
    end,
  };
}

/**
 * Which of the sets of one name and type an answer comes from. Weighted sets: one, by its weight; weight 0 only where
 * no other is left. Geographic sets: the default one (`*`), else the first by setIdentifier, since this server does not
 * know where a client is. Sets that differ only in their identifier answer together. @param random from 0 (included) to
 * 1 (excluded)
 */
export function chooseSets(sets: readonly Endpoint[], random: number): readonly Endpoint[] {
  if (sets.length < 2) return sets;
  const routings = sets.map(routingOf);
  if (routings.some(({ kind }) => kind === "Geo")) return [defaultSet(sets)];
  const weights = routings.map((routing) => (routing.kind === "Weighted" ? routing.weight : 0));
  return routings.some(({ kind }) => kind === "Weighted") ? [byWeight(sets, weights, random)] : sets;
}

function defaultSet(sets: readonly Endpoint[]): Endpoint {
  const isDefault = (set: Endpoint) => {
    const routing = routingOf(set);
    return routing.kind === "Geo" && routing.isDefault;
  };
  return sets.find(isDefault) ?? sets.reduce((first, set) => (identifier(set) < identifier(first) ? set : first));
}

function byWeight(sets: readonly Endpoint[], weights: readonly number[], random: number): Endpoint {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const shares = total > 0 ? weights : weights.map(() => 1);
  let rest = random * (total || sets.length);
  const index = shares.findIndex((share) => {
    rest -= share;
    return rest < 0;
  });
  return sets[index] ?? sets.reduce((_, last) => last);
}

const identifier = (set: Endpoint) => set.setIdentifier ?? "";
