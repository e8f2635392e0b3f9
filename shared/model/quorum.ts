import { z } from "zod";
import { cel } from "./cel.ts";

const RULE = "must be Any, Majority, All or a number from 1";
const WORDS = ["Any", "Majority", "All"] as const;

/** How many regions have to agree before an endpoint is withdrawn. A number is checked against the regions elsewhere. */
export const quorum = z.union([z.enum(WORDS), z.int().min(1)], { error: RULE }).meta({
  maxLength: Math.max(...WORDS.map((word) => word.length)),
  ...cel({ rule: `type(self) == int ? self >= 1 : self in ['${WORDS.join("', '")}']`, message: RULE }),
});
export type Quorum = z.infer<typeof quorum>;
