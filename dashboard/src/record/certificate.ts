import type { ProbeStatus } from "../../../shared/model/status.ts";

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
