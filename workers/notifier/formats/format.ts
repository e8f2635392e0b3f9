import type { NotificationTarget, TargetOf } from "../../../shared/model/notification-target.ts";
import type { Message, Room } from "../message.ts";

/** A call that tells a target of a message. */
export interface Call {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** What a format may know besides. */
export interface Around {
  /** Where people open the view. */
  publicUrl: string | undefined;
  nowMs: number;
}

/**
 * How targets of one kind are notified. The body depends on message, target and `publicUrl` alone, so that it stays over retries.
 */
export interface Format<Kind extends NotificationTarget["kind"]> {
  room: Room;
  call(message: Message, target: TargetOf<Kind>, around: Around): Call;
}

export const JSON_TYPE = { "content-type": "application/json" } as const;
