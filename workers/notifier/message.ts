import { z } from "zod";
import { digest } from "../../shared/hash.ts";
import { type Change, change } from "../../shared/model/notification.ts";

/** What waits to be sent to one target. Holds nothing secret: it gets its form when it is sent. */
export const message = z.object({
  id: z.string(),
  /** When it was made, Unix ms. */
  at: z.int(),
  changes: z.array(change),
  /** How many more there are that are not listed. */
  more: z.int(),
});
export type Message = z.infer<typeof message>;

/** How many changes a message may hold, and whether the rest goes into further messages or is only counted. */
export interface Room {
  changes: number;
  rest: "Split" | "Count";
}

/** The messages that tell a target of the changes. Their ids follow from what they tell. */
export function messagesOf(target: string, changes: readonly Change[], room: Room, nowMs: number): Message[] {
  const messages: Message[] = [];
  for (let start = 0; start < changes.length; start += room.changes) {
    const listed = changes.slice(start, start + room.changes);
    const more = room.rest === "Count" ? changes.length - listed.length : 0;
    messages.push({ id: idOf(target, listed), at: nowMs, changes: listed, more });
    if (room.rest === "Count") break;
  }
  return messages;
}

/** Letters, digits and `_` only, as Standard Webhooks wants it. */
function idOf(target: string, changes: readonly Change[]): string {
  return `notification_${digest(JSON.stringify([target, ...changes.map(({ type, incident }) => [type, incident])]))}`;
}
