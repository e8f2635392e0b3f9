import { z } from "zod";
import { durationText, formatDurationMs, parseDurationMs } from "./duration.ts";
import { hostName } from "./host.ts";
import { region } from "./region.ts";

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const MIN_STALE_AFTER_MS = 60 * SECOND_MS;

export const protocol = z.enum(["HTTPS", "HTTP", "TCP"]);
export type Protocol = z.infer<typeof protocol>;

/** Ports that a health check uses when it names none. TCP has no such port. */
export const DEFAULT_PORT: Partial<Record<Protocol, number>> = { HTTPS: 443, HTTP: 80 };

/** What is asked of HTTP only. */
const HTTP_FIELDS = ["path", "host", "expectedStatuses", "expectedBody", "additionalHeadersRef"] as const;

/** How many regions have to agree before an endpoint is withdrawn. A number is checked against the regions below. */
export const quorum = z.union([z.enum(["Any", "Majority", "All"]), z.int().min(1)], {
  error: "must be Any, Majority, All or a number from 1",
});
export type Quorum = z.infer<typeof quorum>;

const STATUS_RULE = 'must be a status such as "200" or a range such as "200-299"';

/** `200` or `200-299`, both included; undefined where it is none. */
function parseStatuses(text: string): { from: number; to: number } | undefined {
  const parts = /^([1-5]\d\d)(?:-([1-5]\d\d))?$/.exec(text);
  const from = Number(parts?.[1]);
  const to = Number(parts?.[2] ?? parts?.[1]);
  return parts === null || from < 200 || to < from ? undefined : { from, to };
}

const statusRange = z
  .string({ error: STATUS_RULE })
  .refine((text) => parseStatuses(text) !== undefined, { error: STATUS_RULE });

/** Every leaf would be found dead there, from every region: the refusal reads like a closed port. */
const REFUSED_PORT = 25;

const port = z
  .int()
  .min(1)
  .max(65_535)
  .refine((number) => number !== REFUSED_PORT, {
    error: `must not be ${REFUSED_PORT}: the platform refuses to dial it`,
  });

const httpPath = z
  .string()
  .max(2048)
  .regex(/^\/[!-~]*$/, { error: "must start with / and hold only visible ASCII characters" })
  .refine((path) => !path.includes("#"), { error: "must not hold a fragment" });

/** Milliseconds of a text that was checked already. */
const msOf = (text: string) => parseDurationMs(text) ?? 0;

/** Checks share a prober only where they have one interval: fractions would bring about an object for each. */
const interval = durationText(SECOND_MS, HOUR_MS).refine((text) => msOf(text) % SECOND_MS === 0, {
  error: "must be whole seconds: probers are shared by the checks of one interval",
});

const written = z.strictObject({
  protocol: protocol.default("HTTPS").describe("How to ask."),
  port: port.optional().describe("Default: 443 with HTTPS, 80 with HTTP; required with TCP. Not 25."),
  path: httpPath.optional().describe("Request target, query included. Default: /."),
  host: hostName
    .optional()
    .describe(
      "Host header, and with HTTPS the server name that is sent (SNI) and that the certificate has to name. Default: rootHost; a wildcard rootHost is probed only where this is set.",
    ),
  interval: interval
    .default("30s")
    .describe("Between two checks of one address from one region; whole seconds, 1s to 1h."),
  timeout: durationText(100, 30 * SECOND_MS)
    .optional()
    .describe(
      "Whole probe, from name lookup to the last byte needed; at most the interval. Default: 5s, or the interval if less.",
    ),
  failureThreshold: z
    .int()
    .min(0)
    .max(100)
    .default(5)
    .describe("A region says unhealthy above so many failures in a row."),
  successThreshold: z.int().min(1).max(100).default(2).describe("And healthy again from so many successes in a row."),
  expectedStatuses: z
    .array(statusRange)
    .min(1)
    .max(20)
    .optional()
    .describe("Statuses or ranges that count as success. Default: 200-299. Redirects are not followed."),
  expectedBody: z.string().min(1).max(1024).optional().describe("Looked for in the first 64 KiB."),
  addressPolicy: z
    .enum(["Any", "All"])
    .default("Any")
    .describe("For a target that is a host name: whether any or all of its addresses have to succeed."),
  additionalHeadersRef: z
    .strictObject({ name: z.string().min(1).max(253).describe("Name of a Secret in the record's namespace.") })
    .optional()
    .describe("Secret whose keys are header names and whose values go with each request."),
  allowHeadersInCleartext: z
    .boolean()
    .default(false)
    .describe(
      "Accept that those headers travel where others may read them: over plain HTTP, or to a server whose certificate is not verified.",
    ),
  allowInsecureCertificate: z
    .boolean()
    .default(false)
    .describe(
      "HTTPS only: a certificate that fails verification (expired, self-signed, for another name) is no failure. What would have failed is shown.",
    ),
  regions: z.array(region).min(1).default(["weur", "enam", "apac"]).describe("Where to probe from."),
  quorum: quorum.default("Majority").describe("How many regions have to agree before an address is withdrawn."),
  staleAfter: durationText(SECOND_MS, 24 * HOUR_MS)
    .optional()
    .describe(
      "A region without a completed check for so long is silent. At least 2 × interval + timeout; default: 3 × interval + timeout, at least 1m.",
    ),
});

/** A health check as it is written, each field for itself in order; a policy may leave the protocol to the listener. */
type Written = Omit<z.output<typeof written>, "protocol"> & { protocol?: Protocol | undefined };
type Fault = { path: (keyof Written)[]; input: unknown; message: string };

const DEFAULT_TIMEOUT_MS = 5 * SECOND_MS;

function timeoutMsOf(check: Written): number {
  return check.timeout === undefined ? Math.min(DEFAULT_TIMEOUT_MS, msOf(check.interval)) : msOf(check.timeout);
}

function timingFaults(check: Written): Fault[] {
  const faults: Fault[] = [];
  const intervalMs = msOf(check.interval);
  if (check.timeout !== undefined && msOf(check.timeout) > intervalMs) {
    const message = `must be at most the interval (${formatDurationMs(intervalMs)})`;
    faults.push({ path: ["timeout"], input: check.timeout, message });
  }
  const leastStaleMs = 2 * intervalMs + timeoutMsOf(check);
  if (check.staleAfter !== undefined && msOf(check.staleAfter) < leastStaleMs) {
    const message = `must be at least 2 × interval + timeout (${formatDurationMs(leastStaleMs)})`;
    faults.push({ path: ["staleAfter"], input: check.staleAfter, message });
  }
  return faults;
}

function regionFaults(check: Written): Fault[] {
  const faults: Fault[] = [];
  if (new Set(check.regions).size !== check.regions.length) {
    faults.push({ path: ["regions"], input: check.regions, message: "must not name a region twice" });
  }
  if (typeof check.quorum === "number" && check.quorum > check.regions.length) {
    const message = `must be at most the number of regions (${check.regions.length})`;
    faults.push({ path: ["quorum"], input: check.quorum, message });
  }
  return faults;
}

function portFaults(check: Written): Fault[] {
  if (check.port !== undefined || check.protocol === undefined || DEFAULT_PORT[check.protocol] !== undefined) return [];
  return [{ path: ["port"], input: undefined, message: `is required with protocol ${check.protocol}` }];
}

function protocolFaults(check: Written): Fault[] {
  const faults: Fault[] = [];
  if (check.protocol === "TCP") {
    for (const field of HTTP_FIELDS) {
      if (check[field] === undefined) continue;
      faults.push({ path: [field], input: check[field], message: "has no meaning with protocol TCP" });
    }
  }
  if (check.allowInsecureCertificate && check.protocol !== undefined && check.protocol !== "HTTPS") {
    const message = `has no meaning with protocol ${check.protocol}: there is no certificate`;
    faults.push({ path: ["allowInsecureCertificate"], input: true, message });
  }
  return faults;
}

/** Secrets go only where nobody else can read them, unless that was asked for. */
function secrecyFaults(check: Written): Fault[] {
  if (check.additionalHeadersRef === undefined || check.allowHeadersInCleartext) return [];
  const danger = dangerOf(check);
  if (danger === undefined) return [];
  const message = `would send secret headers ${danger}: set allowHeadersInCleartext: true to accept that`;
  return [{ path: ["additionalHeadersRef"], input: check.additionalHeadersRef.name, message }];
}

function dangerOf({ protocol, allowInsecureCertificate }: Written): string | undefined {
  if (protocol === "HTTP") return "in clear over HTTP";
  return protocol !== "TCP" && allowInsecureCertificate
    ? "to whoever answers, since allowInsecureCertificate is set"
    : undefined;
}

type Rule = (check: Written) => Fault[];
const SHARED_RULES: readonly Rule[] = [timingFaults, regionFaults];

function checkBy(rules: readonly Rule[]) {
  return (check: Written, context: z.core.$RefinementCtx) => {
    for (const fault of rules.flatMap((find) => find(check))) context.addIssue({ code: "custom", ...fault });
  };
}

/**
 * The health check of a record. In: as the manifest writes it. Out: every default filled, durations in
 * milliseconds under names that say so, regions sorted.
 */
export const healthCheck = written
  .superRefine(checkBy([...SHARED_RULES, portFaults, protocolFaults, secrecyFaults]))
  .transform((check) => {
    const { interval, timeout: _, staleAfter, ...rest } = check;
    const [intervalMs, timeoutMs] = [msOf(interval), timeoutMsOf(check)];
    return {
      ...rest,
      port: check.port ?? DEFAULT_PORT[check.protocol] ?? 0,
      path: check.path ?? "/",
      expectedStatuses: (check.expectedStatuses ?? ["200-299"]).flatMap((text) => parseStatuses(text) ?? []),
      regions: [...check.regions].sort(),
      intervalMs,
      timeoutMs,
      staleAfterMs:
        staleAfter === undefined ? Math.max(MIN_STALE_AFTER_MS, 3 * intervalMs + timeoutMs) : msOf(staleAfter),
    };
  });
export type HealthCheck = z.output<typeof healthCheck>;

/**
 * The health check of a policy, which stays as it is written, since it becomes that of records: protocol and port come
 * from each listener where they are left out.
 */
export const policyHealthCheck = written
  .extend({
    protocol: protocol.optional().describe("How to ask. Default: by the listener's protocol."),
    port: port.optional().describe("Default: the listener's. Not 25."),
  })
  .superRefine(checkBy([...SHARED_RULES, protocolFaults, secrecyFaults]));
export type PolicyHealthCheck = z.output<typeof policyHealthCheck>;
