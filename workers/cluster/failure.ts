import type { Delivery } from "../../shared/model/messages/delivery.ts";
import type { MessageNumber } from "../../shared/model/number.ts";
import { compareNumbers, formatNumber } from "../../shared/number.ts";
import type { Answer } from "./send.ts";

/**
 * Why a call has not done its work, in words, or undefined where it has: no acknowledgement, one of a number that was
 * never given out (`decided` is the highest), or one that is older than the delivery. Word from the edge asks for none.
 */
export function failureOf(answer: Answer, sent: Delivery, decided: MessageNumber): string | undefined {
  if ("failure" in answer) return answer.failure;
  const given = formatNumber(answer.acknowledged);
  if (compareNumbers(answer.acknowledged, decided) > 0) return `acknowledged ${given}, which was never sent`;
  const isShort = sent.kind === "Full" && compareNumbers(answer.acknowledged, sent.number) < 0;
  return isShort ? `acknowledged ${given} instead of ${formatNumber(sent.number)}` : undefined;
}
