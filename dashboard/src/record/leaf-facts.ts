import { decisiveProbes } from "../../../shared/explain/leaf.ts";
import { unhealthyRegions } from "../../../shared/explain/region-views.ts";
import type { ClusterHealth } from "../../../shared/model/overview.ts";
import type { RecordDetail } from "../../../shared/model/record-detail.ts";
import type { Advisory, LeafDecision, ProbeStatus, Verdict } from "../../../shared/model/status.ts";
import { type LeafPlace, placeOf } from "../overview/leaf-groups.ts";
export type Tone = "bad" | "warn" | "ok" | "quiet";

/** The summary of one leaf. */
export interface LeafFacts {
  leaf: string;
  decision: LeafDecision | undefined;
  place: LeafPlace;
  tone: Tone;
  /** Absent if the leaf is not probed. */
  verdict: Verdict | undefined;
  since: number | undefined;
  probes: ProbeStatus[];
}

/** Makes the summary of a leaf. A leaf without a decision is not in DNS. */
export function leafFacts(record: RecordDetail, leaf: string): LeafFacts {
  const decision = record.leaves.find((one) => one.leaf === leaf);
  const [decisive] = decisiveProbes(record, leaf);
  const probes = record.probes.filter((probe) => probe.leaf === leaf);
  const tone = toneOf(decision);
  return {
    leaf,
    decision,
    place: decision === undefined ? "out" : placeOf(decision),
    // In DNS, but a region disagrees.
    tone: tone === "ok" && probes.some((probe) => unhealthyRegions(probe).length > 0) ? "warn" : tone,
    verdict: decisive?.verdict,
    since: decisive?.since,
    probes,
  };
}

/** Whether a leaf needs attention: out of DNS, kept for lack of a better one, or with a dissenting region. */
export const isTroubled = (tone: Tone): boolean => tone === "bad" || tone === "warn";

/** The number of a record's failing leaves. */
export const countTroubled = (record: RecordDetail): number =>
  record.leaves.filter(({ leaf }) => isTroubled(leafFacts(record, leaf).tone)).length;

function toneOf(decision: LeafDecision | undefined): Tone {
  switch (decision?.reason) {
    case "UnhealthyWithheld":
    case "KeptLast":
      return "bad";
    case "KeptForMinPublished":
    case "KeptForFamily":
      return "warn";
    case "Healthy":
      return "ok";
    default:
      return "quiet";
  }
}

/** The headline: what is out of DNS, or that everything is in DNS. */
export function headline(record: RecordDetail): string {
  const { leaves } = record;
  if (leaves.length === 0) return "Nothing was decided yet.";
  const withheld = leaves.filter(({ published }) => !published);
  const kept = leaves.filter(({ published, reason }) => published && reason.startsWith("Kept"));
  if (kept.some(({ reason }) => reason === "KeptLast")) {
    return `No healthy address is left: ${names(kept)} ${kept.length === 1 ? "stays" : "stay"} in DNS as the last resort.`;
  }
  const parts = [
    ...(withheld.length > 0 ? [`${names(withheld)} ${withheld.length === 1 ? "is" : "are"} out of DNS`] : []),
    ...(kept.length > 0 ? [`${names(kept)} ${kept.length === 1 ? "stays" : "stay"} in DNS though unhealthy`] : []),
  ];
  const left = leaves.length - withheld.length - kept.length;
  if (parts.length > 0) return `${parts.join("; ")}. ${others(left)} in DNS.`;
  return `${leaves.length === 1 ? "Its one address is in DNS." : `All ${leaves.length} addresses are in DNS.`}${advised(record)}`;
}

/** The worst leaf: withheld or the last resort before kept. */
export function worstLeaf({ leaves }: RecordDetail): string | undefined {
  const first = (tone: Tone) => leaves.find((decision) => toneOf(decision) === tone)?.leaf;
  return first("bad") ?? first("warn");
}

/** The names of the record's unreachable clusters. */
export function unreachedOf({ shares }: RecordDetail, clusters: readonly ClusterHealth[]): string[] {
  const own = new Set(shares.map(({ cluster }) => cluster));
  return clusters.filter(({ cluster, reachable }) => own.has(cluster) && !reachable).map(({ cluster }) => cluster);
}

/** Most important first. */
const ADVISORIES: Record<Advisory["type"], string> = {
  KeptLast: "The last ones stay",
  Dissent: "Regions disagree",
  RegionSuspect: "A region is suspect",
  InsufficientFreshRegions: "Too few regions have word",
  Flapping: "Fails now and then",
};
const ADVISORY_TYPES = Object.keys(ADVISORIES);

export const advisoryWords = (type: Advisory["type"]): string => ADVISORIES[type];

/** Advisories of one type, and of one leaf if they are about a probe. */
export interface Advice {
  type: Advisory["type"];
  leaf: string | undefined;
  messages: string[];
}

/** All advisories, most important first, grouped by type and leaf. */
export function adviceOf({ advisories, probes }: RecordDetail): Advice[] {
  const all = [
    ...advisories.map(({ type, message }) => ({ type, message, leaf: undefined })),
    ...probes.flatMap(({ leaf, advisories: own }) => own.map(({ type, message }) => ({ type, message, leaf }))),
  ];
  all.sort((a, b) => ADVISORY_TYPES.indexOf(a.type) - ADVISORY_TYPES.indexOf(b.type));
  return [...Map.groupBy(all, ({ type, leaf }) => `${type} ${leaf}`).values()].flatMap((group) => {
    const [first] = group;
    const messages = [...new Set(group.map(({ message }) => message))];
    return first === undefined ? [] : [{ type: first.type, leaf: first.leaf, messages }];
  });
}

/** The advisory types as a second sentence: ` Regions disagree; fails now and then.` */
function advised(record: RecordDetail): string {
  const kinds = [...new Set(adviceOf(record).map(({ type }) => advisoryWords(type)))];
  if (kinds.length === 0) return "";
  return ` ${[kinds[0], ...kinds.slice(1).map((words) => words.charAt(0).toLowerCase() + words.slice(1))].join("; ")}.`;
}

const MAX_NAMED = 3;

function names(leaves: readonly LeafDecision[]): string {
  const named = leaves.slice(0, MAX_NAMED).map(({ leaf }) => leaf);
  const more = leaves.length - named.length;
  return more > 0 ? `${named.join(", ")} and ${more} more` : named.join(", ").replace(/, ([^,]*)$/, " and $1");
}

function others(count: number): string {
  if (count === 0) return "No other is";
  return count === 1 ? "1 other is" : `${count} others are`;
}

const DAY_MS = 86_400_000;
/** Warn this many days before a certificate expires. Most are renewed 30 days before. */
const WARN_DAYS = 14;

export interface CertificateEnd {
  /** The earliest expiry that a region has seen in the chain, Unix ms. */
  endsAt: number;
  /** Whole days left, rounded down; negative after expiry. */
  daysLeft: number;
  level: "ok" | "soon" | "ended";
  /** `ends in 80 days`, `ends today`, `ended 3 days ago`. */
  words: string;
}

/** The earliest certificate expiry of a leaf, from each region's last check. Undefined without a certificate. */
export function certificateEnd(probes: readonly ProbeStatus[], nowMs: number): CertificateEnd | undefined {
  const ends = probes.flatMap(({ regions }) =>
    regions.flatMap(({ observation }) =>
      [observation?.tls?.expiresAt, observation?.tls?.notAfter].filter((at) => at !== undefined),
    ),
  );
  if (ends.length === 0) return undefined;
  const endsAt = Math.min(...ends);
  const daysLeft = Math.floor((endsAt - nowMs) / DAY_MS);
  const level = endsAt <= nowMs ? "ended" : daysLeft < WARN_DAYS ? "soon" : "ok";
  return { endsAt, daysLeft, level, words: endWords(endsAt - nowMs, daysLeft) };
}

function endWords(leftMs: number, daysLeft: number): string {
  if (leftMs <= 0) {
    const ago = Math.floor(-leftMs / DAY_MS);
    return ago === 0 ? "ended today" : `ended ${days(ago)} ago`;
  }
  return daysLeft === 0 ? "ends within a day" : `ends in ${days(daysLeft)}`;
}

const days = (count: number): string => `${count.toLocaleString("en")} ${count === 1 ? "day" : "days"}`;
