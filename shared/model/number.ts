import { z } from "zod";

/**
 * The number of a message. `epoch` is when the sender's storage was created (Unix ms). So a sender that lost its counter is still
 * newer. `n` counts within the epoch. Compared lexicographically by `shared/number.ts`.
 */
export const messageNumber = z.object({
  epoch: z.int().nonnegative(),
  n: z.int().nonnegative(),
});
export type MessageNumber = z.infer<typeof messageNumber>;
