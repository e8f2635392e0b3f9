import { z } from "zod";
import { cel, celText } from "./cel.ts";
import { durationText, isDurationInCel, parseDurationMs } from "./duration.ts";
import { hostName } from "./host.ts";
import { type Protocol, protocol } from "./protocol.ts";
import { quorum } from "./quorum.ts";
import { REGIONS, region } from "./region.ts";
import { statuses } from "./statuses.ts";

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

/** Every leaf would be found dead there, from every region: the refusal reads like a closed port. */
const REFUSED_PORT = 25;
const PORT_RULE = `must not be ${REFUSED_PORT}: the platform refuses to dial it`;

export const port = z
  .int()
  .min(1)
  .max(65_535)
  .refine((number) => number !== REFUSED_PORT, { error: PORT_RULE })
  .meta(cel({ rule: `self != ${REFUSED_PORT}`, message: PORT_RULE }));

const PATH_RULE = "must start with / and hold only visible ASCII characters";
const FRAGMENT_RULE = "must not hold a fragment";

const httpPath = z
  .string()
  .max(2048)
  .refine((path) => /^\/[!-~]*$/.test(path), { error: PATH_RULE })
  .refine((path) => !path.includes("#"), { error: FRAGMENT_RULE })
  .meta(
    cel(
      { rule: `self.matches(${celText("^/[!-~]*$")})`, message: PATH_RULE },
      { rule: "!self.contains('#')", message: FRAGMENT_RULE },
    ),
  );

const WHOLE_SECONDS_RULE = "must be whole seconds: probers are shared by the checks of one interval";

/** Checks share a prober only where they have one interval: fractions would bring about an object for each. */
const interval = durationText(SECOND_MS, HOUR_MS, {
  rule: `!(${isDurationInCel("self")}) || duration(self).getMilliseconds() % 1000 == 0`,
  message: WHOLE_SECONDS_RULE,
}).refine((text) => (parseDurationMs(text) ?? 0) % SECOND_MS === 0, { error: WHOLE_SECONDS_RULE });

/** The fields of a health check, each judged for itself and left as it is written. */
export const healthCheckFields = z.strictObject({
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
  confirmInterval: durationText(SECOND_MS, HOUR_MS)
    .optional()
    .describe(
      "Between two checks while a region is about to say something else than it said: from the first outcome that differs until it says so, or does not. At most the interval, which turns this off. Default: a tenth of the interval, at least 1s.",
    ),
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
    .array(statuses)
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
  regions: z
    .array(region)
    .min(1)
    .max(REGIONS.length)
    .meta({ "x-kubernetes-list-type": "set" })
    .default(["weur", "enam", "apac"])
    .describe("Where to probe from."),
  quorum: quorum.default("Majority").describe("How many regions have to agree before an address is withdrawn."),
  staleAfter: durationText(SECOND_MS, 24 * HOUR_MS)
    .optional()
    .describe(
      "A region without a completed check for so long is silent. At least 2 × interval + timeout; default: 3 × interval + timeout, at least 1m.",
    ),
});

type AsWritten = z.output<typeof healthCheckFields>;
/** A health check whose fields are in order; a policy may leave the protocol to the listener. */
export type WrittenHealthCheck = Omit<AsWritten, "protocol"> & { protocol?: Protocol | undefined };
