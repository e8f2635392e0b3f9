import { digest } from "../../../shared/hash.ts";
import type { Change } from "../../../shared/model/notification.ts";
import { linkOf, severityOf, stateOf, subjectOf, titleOf } from "../change-text.ts";
import { type Format, JSON_TYPE } from "../message.ts";

const MAX_SUMMARY_CHARACTERS = 1_024;
const MAX_DEDUP_KEY_CHARACTERS = 255;

/**
 * PagerDuty's Events API v2: one event for each change. A beginning and a worsening trigger, an end resolves. All carry the
 * incident's `dedup_key`, by which the receiver merges duplicates.
 * https://developer.pagerduty.com/docs/send-alert-event
 */
export const pagerduty: Format<"pagerduty"> = {
  capacity: { changes: 1, rest: "Split" },
  request({ changes }, { url, routingKey }, { publicUrl }) {
    const [change] = changes;
    if (change === undefined) throw new Error("a message without a change");
    const event = { routing_key: routingKey, dedup_key: dedupKeyOf(change) };
    const body = change.type === "Ended" ? { ...event, event_action: "resolve" } : trigger(event, change, publicUrl);
    return { url, headers: JSON_TYPE, body: JSON.stringify(body) };
  },
};

function trigger(event: { routing_key: string; dedup_key: string }, change: Change, publicUrl: string | undefined) {
  const link = linkOf(change, publicUrl);
  return {
    ...event,
    event_action: "trigger",
    client: "Vedette",
    ...(publicUrl !== undefined && { client_url: publicUrl }),
    ...(link !== undefined && { links: [{ href: link, text: subjectOf(change) }] }),
    payload: {
      summary: `${stateOf(change)}: ${titleOf(change)}`.slice(0, MAX_SUMMARY_CHARACTERS),
      source: subjectOf(change),
      severity: severityOf(change),
      timestamp: new Date(change.since).toISOString(),
      class: change.kind,
      custom_details: { why: change.summary },
    },
  };
}

/** A root host can be as long as a key, so a longer key is hashed. */
function dedupKeyOf({ incident }: Change): string {
  const key = `vedette/${incident}`;
  return key.length <= MAX_DEDUP_KEY_CHARACTERS ? key : `vedette/${digest(incident)}`;
}
