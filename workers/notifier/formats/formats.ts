import type { NotificationTarget } from "../../../shared/model/notification-target.ts";
import type { Message, Room } from "../message.ts";
import type { Around, Call } from "./format.ts";
import { generic } from "./generic.ts";
import { pagerduty } from "./pagerduty.ts";
import { slack } from "./slack.ts";

const FORMATS = { generic, slack, pagerduty };

export const roomOf = ({ kind }: NotificationTarget): Room => FORMATS[kind].room;

/** The call that tells the target. */
export function callOf(message: Message, target: NotificationTarget, around: Around): Call {
  switch (target.kind) {
    case "generic":
      return FORMATS.generic.call(message, target, around);
    case "slack":
      return FORMATS.slack.call(message, target, around);
    case "pagerduty":
      return FORMATS.pagerduty.call(message, target, around);
  }
}
