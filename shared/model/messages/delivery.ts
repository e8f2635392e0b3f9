import { z } from "zod";
import { messageNumber } from "../number.ts";
import { recordStatus } from "../status.ts";

const head = {
  version: z.literal(1),
  cluster: z.string(),
  number: messageNumber,
  sentAt: z.int().nonnegative().describe("Unix ms."),
};

const full = z.object({ ...head, kind: z.literal("Full"), records: z.array(recordStatus) });
const contact = z.object({ ...head, kind: z.literal("Contact") });
const changes = z.object({
  ...head,
  kind: z.literal("Changes"),
  since: messageNumber,
  records: z.array(recordStatus),
  removed: z.array(z.string()).describe("Root hosts."),
});

/** What answers a snapshot, or an agent that asks: nothing is known then of what it holds. */
export const wholeDelivery = z.discriminatedUnion("kind", [full, contact]);
export type WholeDelivery = z.infer<typeof wholeDelivery>;

/**
 * Edge → agent: every record that the cluster has a share in, whole. A `Contact` repeats the number of the last one when
 * nothing has changed: word from the edge, and nothing to apply. `Changes` carries, as they are now, the records that are
 * others than they were at `since`, and which of those are no more: whoever does not hold that number, or a newer one,
 * takes nothing of it.
 */
export const delivery = z.discriminatedUnion("kind", [full, contact, changes]);
export type Delivery = z.infer<typeof delivery>;

/**
 * The answer to a delivery: the highest number applied. A 2xx without it acknowledges nothing. `takes` names the kinds that
 * the agent takes next besides `Full` and `Contact`.
 */
export const acknowledgement = z.object({
  version: z.literal(1),
  acknowledged: messageNumber,
  takes: z.array(z.string()).optional().catch(undefined),
});
export type Acknowledgement = z.infer<typeof acknowledgement>;
