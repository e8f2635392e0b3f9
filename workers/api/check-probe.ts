import { expectationOf } from "../../shared/health/expectation.ts";
import { canonicalAddress } from "../../shared/model/address.ts";
import type { CheckRequest } from "../../shared/model/check-now.ts";
import { fieldErrors } from "../../shared/model/field-error.ts";
import { healthCheck } from "../../shared/model/health-check.ts";
import { canonicalHost } from "../../shared/model/host.ts";
import type { Probe } from "../../shared/model/probe.ts";
import type { FieldError } from "../../shared/model/problem.ts";
import { notProbeable } from "../../shared/probeable.ts";

/** Fields of a health check that come from the URL, with the name of that part of the URL. */
const PARTS: Partial<Record<string, string>> = { protocol: "scheme", host: "host", port: "port", path: "path" };

type CheckProbe = { ok: true; probe: Probe } | { ok: false; errors: FieldError[] };

/**
 * Makes the probe of a request. The rules of health checks and of probeable addresses apply. `id` must be unique: a
 * prober runs one check of a probe at a time.
 */
export function checkProbe(request: CheckRequest, id: string, allowPrivate: boolean): CheckProbe {
  const url = new URL(request.url);
  const given = healthCheckOf(request, url);
  const judged = healthCheck.safeParse(given);
  const leaf = leafOf(request.address, allowPrivate);
  const errors = [
    ...urlFaults(url, request.url),
    ...("rule" in leaf ? [{ field: "address", value: JSON.stringify(request.address), rule: leaf.rule }] : []),
    ...(judged.success ? [] : fieldErrors(judged.error, given).map(asInRequest)),
  ];
  if (!judged.success || "rule" in leaf || errors.length > 0) return { ok: false, errors };
  const { protocol, port, host = "", path, timeoutMs } = judged.data;
  const probe: Probe = {
    id,
    revision: id,
    target: { protocol, leaf: leaf.leaf, port, host, path },
    expectation: expectationOf(judged.data),
    timeoutMs,
    failureThreshold: 0,
    successThreshold: 1,
  };
  return { ok: true, probe };
}

/** The interval is unused here. It is long enough to allow the longest timeout. */
function healthCheckOf({ regions, timeout, expectedStatuses, allowInsecureCertificate }: CheckRequest, url: URL) {
  return {
    protocol: url.protocol.slice(0, -1).toUpperCase(),
    host: url.hostname,
    ...(url.port !== "" && { port: Number(url.port) }),
    path: url.pathname + url.search,
    interval: "1h",
    timeout,
    expectedStatuses,
    regions,
    allowInsecureCertificate,
  };
}

/** A URL with a user name or a password is not repeated in the error. */
function urlFaults({ protocol, username, password, hash }: URL, text: string): FieldError[] {
  const field = "url";
  const faults: FieldError[] = [];
  if (username !== "" || password !== "") faults.push({ field, rule: "must not hold a user name or a password" });
  if (hash !== "") faults.push({ field, rule: "must not hold a fragment" });
  if (!/^https?:$/.test(protocol)) faults.push({ field, value: JSON.stringify(text), rule: "must be http(s)" });
  return faults;
}

function leafOf(address: string, allowPrivate: boolean): { leaf: string } | { rule: string } {
  const canonical = canonicalAddress(address);
  if (canonical !== undefined) {
    const refusal = notProbeable(canonical, allowPrivate);
    return refusal === undefined ? { leaf: canonical } : { rule: `cannot be probed: ${refusal}` };
  }
  const host = canonicalHost(address);
  return "host" in host ? { leaf: host.host } : { rule: `is no address, and as a host name it ${host.rule}` };
}

function asInRequest({ field, value, rule }: FieldError): FieldError {
  const part = PARTS[field];
  const shown = value === undefined ? {} : { value };
  return part === undefined ? { field, ...shown, rule } : { field: "url", ...shown, rule: `as its ${part} ${rule}` };
}
