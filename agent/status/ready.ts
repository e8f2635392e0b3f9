import type { Condition } from "../../shared/model/condition.ts";
import type { Endpoint } from "../../shared/model/endpoint.ts";

export interface ReadyInput {
  accepted: Condition;
  /** Whether there is a form of the record that stands, be it an older one. */
  hasForm: boolean;
  /** In DNS; undefined while nobody has decided it. */
  published: readonly Endpoint[] | undefined;
  extra: readonly Condition[];
}

/** Whether the record as it is written is in DNS as it was decided. Health is another matter. */
export function readyCondition({ accepted, hasForm, published, extra }: ReadyInput): Condition {
  const conflict = extra.find(({ type, status }) => type === "PublisherConflict" && status === "True");
  if (conflict !== undefined) return notReady("PublisherConflict", conflict.message);
  if (accepted.status === "False") {
    const effect = hasForm ? "The form that was accepted last stands." : "Nothing of it is published.";
    return notReady("NotAccepted", `The spec is refused (see Accepted). ${effect}`);
  }
  if (published === undefined)
    return notReady("Undecided", "Neither the edge nor its silence has decided the host yet.");
  if (published.length === 0) return notReady("NothingPublished", "No leaf was proven healthy yet.");
  return { type: "Ready", status: "True", reason: "Published", message: "" };
}

const notReady = (reason: string, message: string): Condition => ({ type: "Ready", status: "False", reason, message });
