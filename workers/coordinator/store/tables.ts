import { z } from "zod";
import { condition } from "../../../shared/model/condition.ts";
import { endpoint } from "../../../shared/model/endpoint.ts";
import { messageNumber } from "../../../shared/model/number.ts";
import { counts, sealedHeaders } from "../../../shared/model/probe.ts";
import { recordSpec } from "../../../shared/model/record.ts";
import { region } from "../../../shared/model/region.ts";
import { leafDecision, verdict } from "../../../shared/model/status.ts";
import { troubleKind } from "../../../shared/model/trouble.ts";
import { usageOfDays } from "../../../shared/model/usage.ts";
import { jsonTable } from "./json-table.ts";

const clusterRow = z.object({
  /** When this coordinator first knew the cluster, Unix ms. */
  knownAt: z.int(),
  /** Number of the newest accepted shares. */
  sharesNumber: messageNumber,
  /** Whether the cluster reported that some of its records are already in DNS. */
  hasPublished: z.boolean(),
  /** Number of the newest decisions: it counts every relevant change. */
  decided: z.int(),
  /** Number of the newest decisions that the cluster's object has acknowledged. */
  handed: z.int(),
  /** Set if stored shares could not be read. Nothing is delivered until the cluster has sent them again. */
  damagedAt: z.int().optional(),
  /** Set while the cluster's agent is unreachable: since when, and the error of the first failed call. */
  unreachable: z.object({ since: z.int(), failure: z.string() }).optional(),
  /** Tombstone of a removed cluster: late messages of this epoch or an earlier one must not bring the cluster back. */
  removedEpoch: z.int().optional(),
});
export type ClusterRow = z.output<typeof clusterRow>;

/** The last accepted form of a share. */
const shareRow = z
  .object({
    cluster: z.string(),
    /** `namespace/name` */
    record: z.string(),
    uid: z.string().optional(),
    generation: z.int().optional(),
    /** The spec in manifest form. Each release parses it again; a spec that this release cannot parse is a bad row. */
    specInput: z.unknown(),
    headers: sealedHeaders.optional(),
    resting: condition.optional(),
    /** Set if the newest form was refused; this accepted form stays in force. */
    refusal: condition.optional(),
    /** Position in the order in which shares were first seen. The older share wins a conflict. */
    seniority: z.int(),
  })
  .transform((value, context) => {
    const spec = recordSpec.safeParse(value.specInput);
    if (spec.success) return { ...value, spec: spec.data };
    context.addIssue({ code: "custom", message: "cannot be read", path: ["specInput"] });
    return z.NEVER;
  });
export type ShareRow = z.output<typeof shareRow>;

/** A probe without its target and policy, which the shares contain. */
const probeRow = z.object({
  revision: z.string(),
  standing: z.object({ verdict, since: z.int(), provenAt: z.int().optional() }).optional(),
  /** Key of its shard. Placement is remembered, never computed again. */
  shard: z.string(),
  /** When the probe was assigned to the shard's regions, and when its timing was last edited, Unix ms. */
  assignedAt: z.int(),
  timingEditedAt: z.int(),
});
export type ProbeRow = z.output<typeof probeRow>;

/** A region's state for one probe. It is written when the counts, saturated at the thresholds, change. */
const regionStateRow = z.object({
  counts,
  /** When the check ended that changed the counts, Unix ms. */
  checkedAt: z.int(),
  succeededAt: z.int().optional(),
  /** Since when the region has had its verdict, Unix ms. */
  saidAt: z.int(),
});
export type RegionStateRow = z.output<typeof regionStateRow>;

const shardRow = z.object({
  intervalMs: z.int(),
  n: z.int(),
  regions: z.array(region).min(1),
  /** Number of the newest assignment within the epoch, and the number that each region has acknowledged. */
  assigned: z.int(),
  acknowledged: z.partialRecord(region, z.int()),
});

/** The last report of a shard in one region. */
const lastSeen = z.object({
  number: messageNumber,
  /** When that round began, Unix ms. Every probe outside `lagging` was checked since. */
  roundAt: z.int(),
  /** Probes whose last completed check is older than the round, with the time of that check; 0 for never. */
  lagging: z.record(z.string(), z.int()),
});
export type LastSeen = z.output<typeof lastSeen>;

const lastSeenRow = z.object({
  /** When the row was written, Unix ms: the coordinator was active then. */
  at: z.int(),
  shards: z.record(z.string(), lastSeen),
  /** Usage matters less than the rest: usage that cannot be read is dropped. */
  usage: usageOfDays.optional().catch(undefined),
  /** Senders whose usage is included, with the Unix ms of their newest message: see `Metering`. */
  counted: z.record(z.string(), z.int()).optional().catch(undefined),
});
export type LastSeenRow = z.output<typeof lastSeenRow>;
/** Key of the row that covers all shards. */
export const ALL_SEEN = "*";

const recordRow = z.object({
  /** The endpoints to publish. The next decision starts from them. */
  endpoints: z.array(endpoint),
  leaves: z.array(leafDecision),
  decidedAt: z.int(),
  /** The alert of the record, and since when it is raised. */
  trouble: z.object({ kind: troubleKind, since: z.int() }).optional(),
});
export type RecordRow = z.output<typeof recordRow>;

/** Everything that survives the object's memory. */
export type Store = ReturnType<typeof storeOf>;

export function storeOf(sql: SqlStorage) {
  return {
    sql,
    /** By cluster name. */
    clusters: jsonTable(sql, "clusters", clusterRow),
    /** By `cluster/namespace/name`. */
    shares: jsonTable(sql, "shares", shareRow),
    /** By probe id. */
    probes: jsonTable(sql, "probes", probeRow),
    /** By `regionStateKey`. */
    regionStates: jsonTable(sql, "words", regionStateRow),
    /** By `shardKey`. An empty shard stays until all of its probers know that it is empty. */
    shards: jsonTable(sql, "shards", shardRow),
    /** By `inRegionKey` for one shard, `ALL_SEEN` for all. The newer of two entries counts. */
    lastSeen: jsonTable(sql, "seen", lastSeenRow),
    /** By root host. */
    records: jsonTable(sql, "records", recordRow),
    /** The silent regions. */
    regions: jsonTable(sql, "regions", z.object({ silentSince: z.int() })),
  };
}
