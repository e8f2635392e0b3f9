import { z } from "zod";
import { troubleKind } from "./trouble.ts";

/** A message to a target about one incident. */
export const change = z.strictObject({
  /** `Worsened`: it was sent before, and is of a worse kind now. Sent once at most. */
  type: z.enum(["Began", "Worsened", "Ended"]),
  incident: z.string().describe("Names the incident in all that is told of it."),
  key: z.string().describe("What it is about: `record/api.example.com`, `region/weur`, `cluster/east`."),
  kind: troubleKind,
  since: z.int().nonnegative().describe("When it began, Unix ms."),
  endedAt: z.int().nonnegative().optional().describe("When it was over, Unix ms; with `Ended`."),
  summary: z.string().describe("Why, in one or more sentences; times in UTC."),
});
export type Change = z.infer<typeof change>;

export const severity = z.enum(["critical", "error", "warning"]);
export type Severity = z.infer<typeof severity>;

/** The body of a message to a target of the kind `generic`. The same message has the same `id`, also when it comes again. */
export const notification = z.strictObject({
  version: z.literal(1),
  id: z.string(),
  at: z.int().nonnegative().describe("When the message was made, Unix ms."),
  target: z.string().describe("Its name in NOTIFICATIONS."),
  changes: z
    .array(
      z.strictObject({
        ...change.shape,
        severity,
        title: z.string().describe("In a few words."),
        link: z.url().optional().describe("The page about it, where PUBLIC_URL is set."),
      }),
    )
    .min(1),
});
export type Notification = z.infer<typeof notification>;
