import type { Change } from "../../../shared/model/notification.ts";
import { linkOf, severityOf, stateOf, titleOf } from "../change-text.ts";
import { type Format, JSON_TYPE } from "../message.ts";

/** A message has at most 50 blocks, one for each change. More would not be read. */
const MAX_CHANGES = 20;
/** A section's text has at most 3,000 characters. */
const MAX_SUMMARY_CHARACTERS = 2_000;
const MAX_TITLE_CHARACTERS = 600;

const SIGNS = { critical: ":red_circle:", error: ":large_orange_circle:", warning: ":large_yellow_circle:" } as const;
const OVER = ":large_green_circle:";

/**
 * The format of Slack's incoming webhooks, which other services accept too. `text` is for clients without blocks; each change is a block.
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
 */
export const slack: Format<"slack"> = {
  capacity: { changes: MAX_CHANGES, rest: "Count" },
  request({ changes, more }, { url }, { publicUrl }) {
    const lines = changes.map((change) => escaped(`${stateOf(change)}: ${titleOf(change)}`, MAX_TITLE_CHARACTERS));
    const others = changes.length - 1 + more;
    const text = (lines[0] ?? "") + (others > 0 ? ` (and ${others} more)` : "");
    const blocks = [
      ...changes.map((change) => section(change, publicUrl)),
      ...(more > 0 ? [{ type: "context", elements: [mrkdwn(`and ${more} more`)] }] : []),
    ];
    return { url, headers: JSON_TYPE, body: JSON.stringify({ text, blocks }) };
  },
};

function section(change: Change, publicUrl: string | undefined) {
  const sign = change.type === "Ended" ? OVER : SIGNS[severityOf(change)];
  const title = escaped(titleOf(change), MAX_TITLE_CHARACTERS);
  const link = linkOf(change, publicUrl);
  const head = `${sign} *${stateOf(change)}* ${link === undefined ? title : `<${link}|${title}>`}`;
  const why = change.type === "Ended" ? "" : `\n${escaped(change.summary, MAX_SUMMARY_CHARACTERS)}`;
  return { type: "section", text: mrkdwn(head + why) };
}

const mrkdwn = (text: string) => ({ type: "mrkdwn", text });

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Escapes the three characters that have a meaning in Slack. Never cuts an entity in two. */
function escaped(text: string, maxCharacters: number): string {
  let result = "";
  for (const character of text) {
    const next = ENTITIES[character] ?? character;
    if (result.length + next.length >= maxCharacters) return `${result}…`;
    result += next;
  }
  return result;
}
