import { z } from "zod";
import { messageNumber } from "../number.ts";
import { recordStatus } from "../status.ts";

const head = {
  version: z.literal(1),
  cluster: z.string(),
  number: messageNumber,
  sentAt: z.int().nonnegative().describe("Unix ms."),
};

/**
 * Edge → agent: every record that the cluster has a share in, whole. A `Contact` repeats the number of the last one
 * when nothing has changed: word from the edge, and nothing to apply.
 */
export const delivery = z.discriminatedUnion("kind", [
  z.object({ ...head, kind: z.literal("Full"), records: z.array(recordStatus) }),
  z.object({ ...head, kind: z.literal("Contact") }),
]);
export type Delivery = z.infer<typeof delivery>;

/** The answer to a delivery: the highest number applied. A 2xx without it acknowledges nothing. */
export const acknowledgement = z.object({ version: z.literal(1), acknowledged: messageNumber });
export type Acknowledgement = z.infer<typeof acknowledgement>;
