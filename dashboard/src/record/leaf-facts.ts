import { decisiveProbes } from "../../../shared/explain/leaf.ts";
import { against } from "../../../shared/explain/seen.ts";
import type { ClusterHealth } from "../../../shared/model/overview.ts";
import type { RecordDetail } from "../../../shared/model/record-detail.ts";
import type { Advisory, LeafDecision, ProbeStatus, Verdict } from "../../../shared/model/status.ts";
import { type LeafPlace, placeOf } from "../overview/leaf-groups.ts";
export type Tone = "bad" | "warn" | "ok" | "quiet";

/** What the page shows of one leaf at a glance. */
export interface LeafFacts {
  leaf: string;
  decision: LeafDecision | undefined;
  place: LeafPlace;
  tone: Tone;
  /** Absent where it is not probed. */
  verdict: Verdict | undefined;
  since: number | undefined;
  probes: ProbeStatus[];
}

/** Gathers what is known of a leaf. One that nothing was decided of yet is not in DNS. */
export function leafFacts(record: RecordDetail, leaf: string): LeafFacts {
  const decision = record.leaves.find((one) => one.leaf === leaf);
  const [decisive] = decisiveProbes(record, leaf);
  const probes = record.probes.filter((probe) => probe.leaf === leaf);
  const tone = toneOf(decision);
  return {
    leaf,
    decision,
    place: decision === undefined ? "out" : placeOf(decision),
    // In DNS, but a region says otherwise.
    tone: tone === "ok" && probes.some((probe) => against(probe).length > 0) ? "warn" : tone,
    verdict: decisive?.verdict,
    since: decisive?.since,
    probes,
  };
}

/** Whether somebody should look: out of DNS, kept in it for want of better, or a region is against it. */
export const isTroubled = (tone: Tone): boolean => tone === "bad" || tone === "warn";

/** How many of a record's leaves are in trouble. */
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

/** The page's first sentence: what is out of DNS, or that nothing is. */
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

/** The leaf that is looked at first: one that is out of DNS or the last resort, else one that is kept. */
export function worstLeaf({ leaves }: RecordDetail): string | undefined {
  const first = (tone: Tone) => leaves.find((decision) => toneOf(decision) === tone)?.leaf;
  return first("bad") ?? first("warn");
}

/** The clusters of a record that no decision reaches, by name. */
export function unreachedOf({ shares }: RecordDetail, clusters: readonly ClusterHealth[]): string[] {
  const own = new Set(shares.map(({ cluster }) => cluster));
  return clusters.filter(({ cluster, reachable }) => own.has(cluster) && !reachable).map(({ cluster }) => cluster);
}

/** The weightiest first. */
const ADVISORIES: Record<Advisory["type"], string> = {
  KeptLast: "The last ones stay",
  Dissent: "Regions disagree",
  RegionSuspect: "A region is suspect",
  InsufficientFreshRegions: "Too few regions have word",
  Flapping: "Fails now and then",
};
const ADVISORY_TYPES = Object.keys(ADVISORIES);

export const advisoryWords = (type: Advisory["type"]): string => ADVISORIES[type];

/** What is advised of one kind, and of one leaf where it is of a probe. */
export interface Advice {
  type: Advisory["type"];
  leaf: string | undefined;
  messages: string[];
}

/** All advice, the weightiest first, what is of one kind and one leaf together. */
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

/** What kinds of advice there are, in a sentence after the first: ` Regions disagree; fails now and then.` */
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
/** A certificate that ends sooner is warned of: most are renewed 30 days before their end. */
const WARN_DAYS = 14;

export interface CertificateEnd {
  /** Unix ms: the earliest end that any region has seen, of the chain or of the server's own. */
  endsAt: number;
  /** Whole days left, downwards; below 0 once it has ended. */
  daysLeft: number;
  level: "ok" | "soon" | "ended";
  /** `ends in 80 days`, `ends today`, `ended 3 days ago`. */
  words: string;
}

/** When the first certificate that a leaf shows ends, by the last look of each region. Undefined where none was seen. */
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
