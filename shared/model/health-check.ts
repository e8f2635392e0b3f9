import type { z } from "zod";
import { cel } from "./cel.ts";
import { parseDurationMs } from "./duration.ts";
import { healthCheckFields, port, type WrittenHealthCheck } from "./health-check-fields.ts";
import { fieldsOfProtocol, portOfTcp, regions, secrecy, timeoutMsOf, timing } from "./health-check-rules.ts";
import { DEFAULT_PORT, protocol } from "./protocol.ts";
import { parseStatuses } from "./statuses.ts";

const MIN_STALE_AFTER_MS = 60_000;
const MIN_CONFIRM_MS = 1_000;
const CONFIRM_PART = 0.1;
const POLICY_RULES = [timing, regions, fieldsOfProtocol, secrecy];
const RULES = [timing, regions, portOfTcp, fieldsOfProtocol, secrecy];

function checkBy(rules: typeof RULES) {
  return (check: WrittenHealthCheck, context: z.core.$RefinementCtx) => {
    for (const fault of rules.flatMap(({ find }) => find(check))) context.addIssue({ code: "custom", ...fault });
  };
}

const celOf = (rules: typeof RULES) => cel(...rules.flatMap((rule) => rule.cel));

/**
 * The health check of a record. In: as the manifest writes it. Out: every default filled, durations in
 * milliseconds under names that say so, regions sorted.
 */
export const healthCheck = healthCheckFields
  .superRefine(checkBy(RULES))
  .meta(celOf(RULES))
  .transform((check) => {
    const { interval, confirmInterval, timeout: _, staleAfter, ...rest } = check;
    const [intervalMs, timeoutMs] = [parseDurationMs(interval) ?? 0, timeoutMsOf(check)];
    return {
      ...rest,
      port: check.port ?? DEFAULT_PORT[check.protocol] ?? 0,
      path: check.path ?? "/",
      expectedStatuses: (check.expectedStatuses ?? ["200-299"]).flatMap((text) => parseStatuses(text) ?? []),
      regions: [...check.regions].sort(),
      intervalMs,
      confirmIntervalMs:
        parseDurationMs(confirmInterval ?? "") ?? Math.max(MIN_CONFIRM_MS, Math.round(intervalMs * CONFIRM_PART)),
      timeoutMs,
      staleAfterMs: parseDurationMs(staleAfter ?? "") ?? Math.max(MIN_STALE_AFTER_MS, 3 * intervalMs + timeoutMs),
    };
  });
export type HealthCheck = z.output<typeof healthCheck>;

/**
 * The health check of a policy. It is kept as written, since it becomes that of records. Without protocol and port, each listener
 * sets them.
 */
export const policyHealthCheck = healthCheckFields
  .extend({
    protocol: protocol.optional().describe("How to ask. Default: by the listener's protocol."),
    port: port.optional().describe("Default: the listener's. Not 25."),
  })
  .superRefine(checkBy(POLICY_RULES))
  .meta(celOf(POLICY_RULES));
export type PolicyHealthCheck = z.output<typeof policyHealthCheck>;
