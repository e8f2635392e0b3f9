import { z } from "zod";
import { condition } from "./condition.ts";
import { endpoint } from "./endpoint.ts";
import { observation } from "./observation.ts";
import { counts, probeId } from "./probe.ts";
import { region } from "./region.ts";

export const verdict = z.enum(["Healthy", "Unhealthy", "Pending", "Unknown"]);
export type Verdict = z.infer<typeof verdict>;

/** Shown, and never a cause for a change of verdict (docs/design/health.md). */
export const advisory = z.object({
  type: z.enum(["Dissent", "Flapping", "InsufficientFreshRegions", "KeptLast", "RegionSuspect"]),
  message: z.string(),
  regions: z.array(region).optional(),
  /** Since when, Unix ms, where that is known. */
  since: z.int().nonnegative().optional(),
});
export type Advisory = z.infer<typeof advisory>;

const regionStatus = z.object({
  region,
  /** `Fresh`, `Awaited` or `Silent` by docs/design/health.md, regions. */
  freshness: z.enum(["Fresh", "Awaited", "Silent"]),
  counts,
  checkedAt: z.int().nonnegative().optional(),
  colo: z.string().optional(),
  observation: observation.optional(),
});
export type RegionStatus = z.infer<typeof regionStatus>;

/** What all regions together say of one probe. */
export const probeStatus = z.object({
  id: probeId,
  cluster: z.string(),
  record: z.string().describe("namespace/name"),
  leaf: z.string(),
  verdict,
  since: z.int().nonnegative().describe("Since when the verdict stands, Unix ms."),
  provenAt: z.int().nonnegative().optional(),
  consecutiveFailures: z.int().nonnegative(),
  failureThreshold: z.int().nonnegative(),
  successThreshold: z.int().positive(),
  /** Regions that have to agree, as a number. */
  quorum: z.int().positive(),
  regions: z.array(regionStatus),
  advisories: z.array(advisory),
  /** Why the probe rests while its configuration is wrong. */
  resting: condition.optional(),
});
export type ProbeStatus = z.infer<typeof probeStatus>;

/** Why a leaf is published or withheld: the step of the decision (docs/design/decision.md) that said so. */
export const leafReason = z.enum([
  "Healthy",
  "Unknown",
  "PendingPublished",
  "PendingWithheld",
  "UnhealthyWithheld",
  "KeptForMinPublished",
  "KeptLast",
  "KeptForFamily",
  "NotProbed",
]);
export type LeafReason = z.infer<typeof leafReason>;

export const leafDecision = z.object({
  leaf: z.string(),
  published: z.boolean(),
  reason: leafReason,
});
export type LeafDecision = z.infer<typeof leafDecision>;

const shareStatus = z.object({
  cluster: z.string(),
  record: z.string().describe("namespace/name"),
  generation: z.int().nonnegative().optional(),
  conditions: z.array(condition),
});

/** One root host as the edge sees it: what is published, why, and as seen from where. */
export const recordStatus = z.object({
  rootHost: z.string(),
  shares: z.array(shareStatus),
  whenSilent: z.enum(["Publish", "Freeze"]),
  /** The decision: what is to be in DNS, whole. */
  endpoints: z.array(endpoint),
  leaves: z.array(leafDecision),
  probes: z.array(probeStatus),
  advisories: z.array(advisory),
  /** When the decision last changed, Unix ms. */
  decidedAt: z.int().nonnegative(),
});
export type RecordStatus = z.infer<typeof recordStatus>;
