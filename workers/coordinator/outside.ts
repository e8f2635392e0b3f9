import type { Assignment } from "../../shared/model/messages/assignment.ts";
import type { Decisions } from "../../shared/model/messages/shares.ts";
import type { MessageNumber } from "../../shared/model/number.ts";

/** All that the coordinator asks of the world outside its storage. A call that fails is made up for later. */
export interface Outside {
  /** Unix ms. */
  now(): number;
  assign(assignment: Assignment): Promise<{ number: MessageNumber }>;
  decided(decisions: Decisions): Promise<void>;
  /** Runs the work soon after the call at hand, which it never delays. */
  soon(work: () => Promise<void>): void;
}
