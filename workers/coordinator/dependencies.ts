import type { Assignment, Shard } from "../../shared/model/messages/assignment.ts";
import type { DecisionChanges, Decisions } from "../../shared/model/messages/shares.ts";
import type { MessageNumber } from "../../shared/model/number.ts";
import type { Troubles } from "../../shared/model/trouble.ts";
import type { Usage } from "../../shared/model/usage.ts";
import type { DecisionsAnswer } from "../rpc.ts";

/** All that the coordinator asks of the world outside its storage. A call that fails is made up for later. */
export interface Outside {
  /** Unix ms. */
  now(): number;
  assign(assignment: Assignment): Promise<{ number: MessageNumber }>;
  /** Lets the prober of a shard in a region check some of its probes now. */
  lookNow(shard: Pick<Shard, "region" | "partition" | "intervalMs" | "n">, probes: readonly string[]): Promise<void>;
  decided(decisions: Decisions): Promise<DecisionsAnswer | undefined>;
  decidedInPart(changes: DecisionChanges): Promise<DecisionsAnswer>;
  /** What the coordinator's own object has used since it was last asked; absent where nobody counts. */
  used?(): Usage;
  /** Tells the notifier; absent while nobody is to be told. Answers when the newest list was made that it has. */
  troubles?(troubles: Troubles): Promise<{ at: number }>;
  /** Runs the work soon after the call at hand, which it never delays. */
  soon(work: () => Promise<void>): void;
  /** Waits between two messages that take long to make where much is wrong: then there is other work to do. */
  rest(restMs: number): Promise<void>;
  /** Tells those who watch that a call is over: the root hosts of the records that look other since, or are no more. */
  changed(rootHosts: readonly string[]): void;
}
