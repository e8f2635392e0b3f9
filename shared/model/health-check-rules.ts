import type { CelRule } from "./cel.ts";
import { formatDurationMs, isDurationInCel, parseDurationMs } from "./duration.ts";
import type { WrittenHealthCheck } from "./health-check-fields.ts";
import { DEFAULT_PORT } from "./protocol.ts";

/*
 * The rules between the fields of a health check. Each rule is here twice: for our errors, which name the values, and for the API
 * server, which checks first. A value that is malformed in itself was reported already, and breaks no rule here.
 */
interface HealthCheckRule {
  find(check: WrittenHealthCheck): Fault[];
  cel: readonly CelRule[];
}
type Fault = { path: (keyof WrittenHealthCheck)[]; input: unknown; message: string };

const DEFAULT_TIMEOUT_MS = 5_000;

/** Milliseconds of a text that was checked already. */
const msOf = (text: string) => parseDurationMs(text) ?? 0;

/** The timeout in force, in milliseconds. */
export function timeoutMsOf(check: WrittenHealthCheck): number {
  return check.timeout === undefined ? Math.min(DEFAULT_TIMEOUT_MS, msOf(check.interval)) : msOf(check.timeout);
}

const isReadable = (field: string) => isDurationInCel(`self.${field}`);
const TIMEOUT = `(has(self.timeout) ? duration(self.timeout) : duration(self.interval) < duration('5s') ? duration(self.interval) : duration('5s'))`;

export const timing: HealthCheckRule = {
  find(check) {
    const faults: Fault[] = [];
    const intervalMs = msOf(check.interval);
    if (check.timeout !== undefined && msOf(check.timeout) > intervalMs) {
      const message = `must be at most the interval (${formatDurationMs(intervalMs)})`;
      faults.push({ path: ["timeout"], input: check.timeout, message });
    }
    if (check.confirmInterval !== undefined && msOf(check.confirmInterval) > intervalMs) {
      const message = `must be at most the interval (${formatDurationMs(intervalMs)})`;
      faults.push({ path: ["confirmInterval"], input: check.confirmInterval, message });
    }
    const leastStaleMs = 2 * intervalMs + timeoutMsOf(check);
    if (check.staleAfter !== undefined && msOf(check.staleAfter) < leastStaleMs) {
      const message = `must be at least 2 × interval + timeout (${formatDurationMs(leastStaleMs)})`;
      faults.push({ path: ["staleAfter"], input: check.staleAfter, message });
    }
    return faults;
  },
  cel: [
    {
      rule: `!has(self.timeout) || !(${isReadable("timeout")} && ${isReadable("interval")}) || duration(self.timeout) <= duration(self.interval)`,
      message: "must be at most the interval",
      fieldPath: ".timeout",
    },
    {
      rule: `!has(self.confirmInterval) || !(${isReadable("confirmInterval")} && ${isReadable("interval")}) || duration(self.confirmInterval) <= duration(self.interval)`,
      message: "must be at most the interval",
      fieldPath: ".confirmInterval",
    },
    {
      rule: `!has(self.staleAfter) || !(${isReadable("staleAfter")} && ${isReadable("interval")} && (!has(self.timeout) || ${isReadable("timeout")})) || duration(self.staleAfter) >= duration(self.interval) + duration(self.interval) + ${TIMEOUT}`,
      message: "must be at least 2 × interval + timeout",
      fieldPath: ".staleAfter",
    },
  ],
};

export const regions: HealthCheckRule = {
  find(check) {
    const faults: Fault[] = [];
    if (new Set(check.regions).size !== check.regions.length) {
      faults.push({ path: ["regions"], input: check.regions, message: "must not name a region twice" });
    }
    if (typeof check.quorum === "number" && check.quorum > check.regions.length) {
      const message = `must be at most the number of regions (${check.regions.length})`;
      faults.push({ path: ["quorum"], input: check.quorum, message });
    }
    return faults;
  },
  cel: [
    {
      rule: "type(self.quorum) != int || self.quorum <= size(self.regions)",
      message: "must be at most the number of regions",
      fieldPath: ".quorum",
    },
  ],
};

const isProtocol = (name: string) => `(has(self.protocol) && self.protocol == '${name}')`;

/** A policy has no such rule: its port may come from the listener. */
export const portOfTcp: HealthCheckRule = {
  find({ port, protocol }) {
    if (port !== undefined || protocol === undefined || DEFAULT_PORT[protocol] !== undefined) return [];
    return [{ path: ["port"], input: undefined, message: `is required with protocol ${protocol}` }];
  },
  cel: [
    { rule: `!${isProtocol("TCP")} || has(self.port)`, message: "is required with protocol TCP", fieldPath: ".port" },
  ],
};

const HTTP_FIELDS = ["path", "host", "expectedStatuses", "expectedBody", "additionalHeadersRef"] as const;
const NO_MEANING = "has no meaning with protocol";

export const fieldsOfProtocol: HealthCheckRule = {
  find(check) {
    const faults: Fault[] = [];
    if (check.protocol === "TCP") {
      for (const field of HTTP_FIELDS) {
        if (check[field] === undefined) continue;
        faults.push({ path: [field], input: check[field], message: `${NO_MEANING} TCP` });
      }
    }
    if (check.allowInsecureCertificate && check.protocol !== undefined && check.protocol !== "HTTPS") {
      const message = `${NO_MEANING} ${check.protocol}: there is no certificate`;
      faults.push({ path: ["allowInsecureCertificate"], input: true, message });
    }
    return faults;
  },
  cel: [
    ...HTTP_FIELDS.map(
      (field): CelRule => ({
        rule: `!${isProtocol("TCP")} || !has(self.${field})`,
        message: `${NO_MEANING} TCP`,
        fieldPath: `.${field}`,
      }),
    ),
    {
      rule: `!self.allowInsecureCertificate || !has(self.protocol) || self.protocol == 'HTTPS'`,
      message: `${NO_MEANING} HTTP or TCP: there is no certificate`,
      fieldPath: ".allowInsecureCertificate",
    },
  ],
};

const ACCEPT = "set allowHeadersInCleartext: true to accept that";
const IN_CLEAR = `would send secret headers in clear over HTTP: ${ACCEPT}`;
const UNVERIFIED = `would send secret headers to whoever answers, since allowInsecureCertificate is set: ${ACCEPT}`;
const ARE_ACCEPTED = "!has(self.additionalHeadersRef) || self.allowHeadersInCleartext";

/** Secrets go only where nobody else can read them, unless that was asked for. */
export const secrecy: HealthCheckRule = {
  find(check) {
    if (check.additionalHeadersRef === undefined || check.allowHeadersInCleartext) return [];
    const message = check.protocol === "HTTP" ? IN_CLEAR : UNVERIFIED;
    const isSafe = check.protocol !== "HTTP" && (check.protocol === "TCP" || !check.allowInsecureCertificate);
    return isSafe ? [] : [{ path: ["additionalHeadersRef"], input: check.additionalHeadersRef.name, message }];
  },
  cel: [
    {
      rule: `${ARE_ACCEPTED} || !${isProtocol("HTTP")}`,
      message: IN_CLEAR,
      fieldPath: ".additionalHeadersRef",
    },
    {
      rule: `${ARE_ACCEPTED} || !self.allowInsecureCertificate || ${isProtocol("HTTP")} || ${isProtocol("TCP")}`,
      message: UNVERIFIED,
      fieldPath: ".additionalHeadersRef",
    },
  ],
};
