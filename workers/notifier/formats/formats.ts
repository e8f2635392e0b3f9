import type { NotificationTarget } from "../../../shared/model/notification-target.ts";
import type { Capacity, FormatContext, Message, OutgoingRequest } from "../message.ts";
import { generic } from "./generic.ts";
import { pagerduty } from "./pagerduty.ts";
import { slack } from "./slack.ts";

const FORMATS = { generic, slack, pagerduty };

export const capacityOf = ({ kind }: NotificationTarget): Capacity => FORMATS[kind].capacity;

/** The request that sends a message to its target. */
export function requestOf(message: Message, target: NotificationTarget, context: FormatContext): OutgoingRequest {
  switch (target.kind) {
    case "generic":
      return FORMATS.generic.request(message, target, context);
    case "slack":
      return FORMATS.slack.request(message, target, context);
    case "pagerduty":
      return FORMATS.pagerduty.request(message, target, context);
  }
}
