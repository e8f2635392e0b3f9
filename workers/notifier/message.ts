import { z } from "zod";
import { digest } from "../../shared/hash.ts";
import { type Change, change } from "../../shared/model/notification.ts";
import type { NotificationTarget, TargetOf } from "../../shared/model/notification-target.ts";

/** A queued message to one target. Holds nothing secret: it is formatted when it is sent. */
export const message = z.object({
  id: z.string(),
  /** When it was made, Unix ms. */
  at: z.int(),
  changes: z.array(change),
  /** How many changes are not listed. */
  more: z.int(),
});
export type Message = z.infer<typeof message>;

/** How many changes a message may list. The rest goes into further messages, or is only counted. */
export interface Capacity {
  changes: number;
  rest: "Split" | "Count";
}

/** The messages with the changes for a target. The content determines the ids. */
export function messagesOf(target: string, changes: readonly Change[], capacity: Capacity, nowMs: number): Message[] {
  const messages: Message[] = [];
  for (let start = 0; start < changes.length; start += capacity.changes) {
    const listed = changes.slice(start, start + capacity.changes);
    const more = capacity.rest === "Count" ? changes.length - listed.length : 0;
    messages.push({ id: idOf(target, listed), at: nowMs, changes: listed, more });
    if (capacity.rest === "Count") break;
  }
  return messages;
}

/** Only letters, digits and `_`, as Standard Webhooks requires. */
function idOf(target: string, changes: readonly Change[]): string {
  return `notification_${digest(JSON.stringify([target, ...changes.map(({ type, incident }) => [type, incident])]))}`;
}

/** The HTTP request that sends a message to a target. */
export interface OutgoingRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Further input of a format. */
export interface FormatContext {
  /** The URL of the view. */
  publicUrl: string | undefined;
  nowMs: number;
}

/** The format of targets of one kind. The body depends only on message, target and `publicUrl`, so that retries repeat it. */
export interface Format<Kind extends NotificationTarget["kind"]> {
  capacity: Capacity;
  request(message: Message, target: TargetOf<Kind>, context: FormatContext): OutgoingRequest;
}

export const JSON_TYPE = { "content-type": "application/json" } as const;
