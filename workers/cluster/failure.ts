import type { Delivery } from "../../shared/model/messages/delivery.ts";
import type { MessageNumber } from "../../shared/model/number.ts";
import { compareNumbers, formatNumber } from "../../shared/number.ts";
import type { Answer } from "./send.ts";

/**
 * Why a call has not done its work, in words, or undefined where it has: no acknowledgement, or one of a number that is
 * older than the delivery. Word from the edge asks for none.
 */
export function failureOf(answer: Answer, sent: Delivery): string | undefined {
  if ("failure" in answer) return answer.failure;
  const given = formatNumber(answer.acknowledged);
  const isShort = sent.kind === "Full" && compareNumbers(answer.acknowledged, sent.number) < 0;
  return isShort ? `acknowledged ${given} instead of ${formatNumber(sent.number)}` : undefined;
}

export const neverSent = (number: MessageNumber): string =>
  `acknowledged ${formatNumber(number)}, which was never sent`;

/** An agent that has applied this takes all that the edge sends for old, and the edge does not follow. */
export const tooFarAhead = (number: MessageNumber): string =>
  `names ${formatNumber(number)} as applied, of an epoch more than a day ahead of the edge's clock, and takes all that is ` +
  `sent for old: stop the agent, set "number" in its state file (VEDETTE_STATE) to {"epoch":0,"n":0} and start it again`;
