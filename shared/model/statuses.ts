import { z } from "zod";
import { cel, celText } from "./cel.ts";

const RULE = 'must be a status such as "200" or a range such as "200-299"';
const LONGEST = "200-299";

/** `200` or `200-299`, both included; undefined for any other text. */
export function parseStatuses(text: string): { from: number; to: number } | undefined {
  const parts = /^([1-5]\d\d)(?:-([1-5]\d\d))?$/.exec(text);
  const from = Number(parts?.[1]);
  const to = Number(parts?.[2] ?? parts?.[1]);
  return parts === null || from < 200 || to < from ? undefined : { from, to };
}

const IN_CEL = `self.matches(${celText("^[2-5][0-9]{2}(-[2-5][0-9]{2})?$")}) && self.substring(0, 3) <= self.substring(size(self) - 3)`;

/** A status or a range of them, as it is written. */
export const statuses = z
  .string({ error: RULE })
  .refine((text) => parseStatuses(text) !== undefined, { error: RULE })
  .meta({ maxLength: LONGEST.length, ...cel({ rule: IN_CEL, message: RULE }) });
