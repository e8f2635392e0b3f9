import { z } from "zod";
import { messageNumber } from "../../../shared/model/number.ts";
import { usageOfDays } from "../../../shared/model/usage.ts";
import { jsonTable } from "./json-table.ts";

/** What was last heard of a shard in one region. */
const seen = z.object({
  number: messageNumber,
  /** When that round began, Unix ms: every probe but the lagging was checked since. */
  roundAt: z.int(),
  /** Probes whose last completed check is older than the round: when that was; 0 for never. */
  lagging: z.record(z.string(), z.int()),
});
export type Seen = z.output<typeof seen>;

/** `at` is when the coordinator wrote it, and so when it was last active. What was used until then matters less than the rest. */
const row = z.object({
  at: z.int(),
  shards: z.record(z.string(), seen),
  usage: usageOfDays.optional().catch(undefined),
  /** Whose words are in there until when, Unix ms: see `Metering`. In the row of all everybody's; else its own, and those without a row. */
  counted: z.record(z.string(), z.int()).optional().catch(undefined),
});
export type SeenRow = z.output<typeof row>;

/**
 * Key: `intervalMs/n@region` for one, `ALL_SEEN` for all in one row. The newer of the two counts.
 */
export const seenTable = (sql: SqlStorage) => jsonTable(sql, "seen", row);
export const ALL_SEEN = "*";
