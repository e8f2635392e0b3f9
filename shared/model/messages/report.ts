import { z } from "zod";
import { messageNumber } from "../number.ts";
import { observation } from "../observation.ts";
import { counts, probeId } from "../probe.ts";
import { usageSince } from "../usage.ts";
import { shard } from "./assignment.ts";

/** How one probe of the round went, and how it stands. */
const probeReport = z.object({
  id: probeId,
  revision: z.string(),
  counts,
  /**
   * The last completed check, Unix ms; an indeterminate check does not complete. Absent if memory has none, and so nothing new.
   */
  checkedAt: z.int().nonnegative().optional(),
  observation: observation.optional(),
});
export type ProbeReport = z.infer<typeof probeReport>;

/** Prober → coordinator: one round of a shard, or confirmations after it, with every probe of the shard as it stands now. */
export const report = z.object({
  version: z.literal(1),
  shard,
  number: messageNumber,
  /** The assignment that the round ran under. */
  assignment: messageNumber,
  /** When the round began, Unix ms, and how late that was; of confirmations, which come between two rounds, the one before them. */
  roundAt: z.int().nonnegative(),
  lateMs: z.number().nonnegative(),
  /** The data centre that the prober really ran in, where it is known. */
  colo: z.string().max(16).optional(),
  probes: z.array(probeReport),
  /** What the prober has used since its last report, as far as its memory goes back. */
  usage: usageSince.optional(),
});
export type Report = z.infer<typeof report>;
