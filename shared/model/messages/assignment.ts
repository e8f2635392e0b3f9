import { z } from "zod";
import { messageNumber } from "../number.ts";
import { probe } from "../probe.ts";
import { region } from "../region.ts";

export const MAX_SHARD_PROBES = 30;
/** How many leaves that hang a prober dials at once; the others wait for their turn. */
export const MAX_SUSPECTS = 3;

/** A shard in one region. `regions` is the set that the shard exists in: the phase of a round depends on it. */
export const shard = z.object({
  region,
  partition: z.int().nonnegative(),
  intervalMs: z.int().positive(),
  n: z.int().nonnegative(),
  regions: z.array(region).min(1),
});
export type Shard = z.infer<typeof shard>;

/** Coordinator → prober: all probes of the shard, whole. An empty one ends the shard's work. */
export const assignment = z.object({
  version: z.literal(1),
  shard,
  number: messageNumber,
  probes: z.array(probe).max(MAX_SHARD_PROBES),
});
export type Assignment = z.infer<typeof assignment>;
