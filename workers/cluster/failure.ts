import type { Delivery } from "../../shared/model/messages/delivery.ts";
import type { MessageNumber } from "../../shared/model/number.ts";
import { compareNumbers, formatNumber } from "../../shared/number.ts";

/**
 * Why an answer is no good one, in words: it acknowledges an older number than that of a whole delivery. Word from the edge
 * asks for none, and changes may come to an agent that cannot take them.
 */
export function failureOf(acknowledged: MessageNumber, sent: Delivery): string | undefined {
  const isShort = sent.kind === "Full" && compareNumbers(acknowledged, sent.number) < 0;
  return isShort ? `acknowledged ${formatNumber(acknowledged)} instead of ${formatNumber(sent.number)}` : undefined;
}

export const neverSent = (number: MessageNumber): string =>
  `acknowledged ${formatNumber(number)}, which was never sent`;

/** An agent that has applied this takes all that the edge sends for old, and the edge does not follow. */
export const tooFarAhead = (number: MessageNumber): string =>
  `names ${formatNumber(number)} as applied, of an epoch more than a day ahead of the edge's clock, and takes all that is ` +
  `sent for old: stop the agent, set "number" in its state file (VEDETTE_STATE) to {"epoch":0,"n":0} and start it again`;
