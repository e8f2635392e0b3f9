import { z } from "zod";
import { messageNumber } from "../number.ts";
import { recordStatus } from "../status.ts";

/**
 * Edge → agent, on asking: every record that the cluster has a share in, as it is just now. Only to be shown: what is to be
 * in DNS is what the deliveries say. A record whose coordinator does not answer is missing.
 */
export const recordsView = z.object({
  version: z.literal(1),
  cluster: z.string(),
  number: messageNumber.describe("Of the newest delivery at the time of asking; a view has no number of its own."),
  records: z.array(recordStatus),
});
export type RecordsView = z.infer<typeof recordsView>;
