import { z } from "zod";
import { type TroubleKind, troubleKind } from "../../../shared/model/trouble.ts";

/** An alert as one target knows it. Each target has its own, since each has its own durations and filters. */
export const incident = z.object({
  id: z.string(),
  key: z.string(),
  kind: troubleKind,
  /** When it began, and since when it is of its kind, Unix ms. */
  since: z.int(),
  kindSince: z.int(),
  summary: z.string(),
  /** Those that have it now; none while it is over. */
  partitions: z.array(z.int()),
  /** Since when it is over, while the end is not sent. */
  goneAt: z.int().optional(),
  /** The worst kind that was sent; absent until its beginning was. */
  told: troubleKind.optional(),
  /** It began before the target was added, and is never sent. */
  isOld: z.boolean(),
});
export type Incident = z.infer<typeof incident>;

/** By key. */
export type Incidents = ReadonlyMap<string, Incident>;

/** A record has one key in both of its kinds; the kinds of other things are never compared. */
export const isWorse = (kind: TroubleKind, than: TroubleKind) => kind === "RecordCritical" && than === "RecordDegraded";
