import type { Assignment, Shard } from "../../shared/model/messages/assignment.ts";
import type { DecisionChanges, Decisions } from "../../shared/model/messages/shares.ts";
import type { MessageNumber } from "../../shared/model/number.ts";
import type { Troubles } from "../../shared/model/trouble.ts";
import type { Usage } from "../../shared/model/usage.ts";
import { clusterOf, type Env, notifierOf, proberName, proberOf } from "../env.ts";
import { callWithRetry, errorMessage } from "../retry.ts";
import type { DecisionsAnswer } from "../rpc.ts";
import { readSettings } from "../settings.ts";
import { withTimeout } from "../timeout.ts";
import type { Meter } from "../usage/meter.ts";

/** How long changes are collected before they are sent: several calls that arrive together cause one message. */
const TICK_MS = 20;
/** After this, changes that were not accepted are followed by whole decisions. */
const IN_PART_WAIT_MS = 5_000;
/** A prober only notes what to recheck, so the call is quick; nothing waits for a prober that does not answer. */
const LOOK_WAIT_MS = 2_000;

/** Everything the coordinator uses besides its storage. A call that fails is repaired by a later one. */
export interface Dependencies {
  /** Unix ms. */
  now(): number;
  assign(assignment: Assignment): Promise<{ number: MessageNumber }>;
  /** Asks the prober of a shard in a region to recheck some of its probes now. */
  lookNow(shard: Pick<Shard, "region" | "partition" | "intervalMs" | "n">, probes: readonly string[]): Promise<void>;
  decided(decisions: Decisions): Promise<DecisionsAnswer | undefined>;
  decidedInPart(changes: DecisionChanges): Promise<DecisionsAnswer>;
  /** The object's own usage since the last call; absent if usage is not metered. */
  used?(): Usage;
  /** Sends the alerts to the notifier; absent if no notifications are configured. Returns when its newest list was made, Unix ms. */
  troubles?(troubles: Troubles): Promise<{ at: number }>;
  /** Runs the work soon after the current call, without delaying it. */
  soon(work: () => Promise<void>): void;
  /** Waits between two messages that are slow to build, so that other work can run. */
  rest(restMs: number): Promise<void>;
  /** Reports the end of a call to the live stream: root hosts of records that look different or are gone. */
  changed(rootHosts: readonly string[]): void;
}

export function productionDependencies(
  ctx: DurableObjectState,
  env: Env,
  meter: Meter,
  changed: Dependencies["changed"],
): Dependencies {
  return {
    now: () => Date.now(),
    used: () => meter.take(),
    assign: (assignment) => {
      const { shard } = assignment;
      return callWithRetry(() => proberOf(env, proberName(shard), shard.region).assign(assignment));
    },
    lookNow: (shard, probes) =>
      withTimeout(proberOf(env, proberName(shard), shard.region).lookNow(probes), LOOK_WAIT_MS),
    decided: (decisions) => callWithRetry(() => clusterOf(env, decisions.cluster).decided(decisions)),
    decidedInPart: (changes) => withTimeout(clusterOf(env, changes.cluster).decidedInPart(changes), IN_PART_WAIT_MS),
    changed,
    ...(readSettings(env).NOTIFICATIONS.length > 0 && {
      troubles: (troubles) => callWithRetry(() => notifierOf(env).troubles(troubles)),
    }),
    rest: (restMs) => scheduler.wait(restMs),
    soon: (work) => ctx.waitUntil(scheduler.wait(TICK_MS).then(work).catch(logFailure)),
  };
}

/** The heartbeat sends what this work could not send. */
function logFailure(error: unknown): void {
  console.error({ message: "cannot send changes", error: errorMessage(error) });
}
