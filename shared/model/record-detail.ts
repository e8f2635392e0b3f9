import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { minPublished } from "./record.ts";
import { recordStatus } from "./status.ts";

/** A record for those who look at it: its status, and what it would be with every leaf published. */
export const recordDetail = recordStatus.extend({
  minPublished,
  wanted: z.array(endpoint).describe("The endpoints of all its shares together, before anything is withheld."),
});
export type RecordDetail = z.infer<typeof recordDetail>;
