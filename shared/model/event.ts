import { z } from "zod";

/** Something that happened at the edge, for people and scripts. Kept in a bounded log; never a carrier of state. */
export const event = z.strictObject({
  id: z.int().positive(),
  at: z.int().nonnegative().describe("Unix ms."),
  type: z.enum([
    "VerdictChanged",
    "DecisionChanged",
    "RecordRefused",
    "RecordConflict",
    "RegionSilent",
    "RegionReturned",
    "ShardRearmed",
    "ClusterRegistered",
    "ClusterRemoved",
    "Delivered",
    "ClusterUnreachable",
    "ClusterReachable",
    "DuplicateAgent",
    "NumberOvertaken",
    "PartitionsChanged",
    "QuotaNear",
  ]),
  /** What it is about, as far as each applies. */
  rootHost: z.string().optional(),
  probe: z.string().optional(),
  cluster: z.string().optional(),
  region: z.string().optional(),
  message: z.string(),
});
export type Event = z.infer<typeof event>;
