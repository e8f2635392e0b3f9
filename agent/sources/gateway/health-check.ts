import type { PolicyHealthCheck } from "../../../shared/model/health-check.ts";
import type { Protocol } from "../../../shared/model/protocol.ts";
import type { RecordSpecInput } from "../../../shared/model/record.ts";
import type { Listener } from "./gateway.ts";

type HealthCheckInput = NonNullable<RecordSpecInput["healthCheck"]>;

/** How to ask behind a listener. Those that are not here (UDP, an implementation's own) cannot be asked without being told how. */
const PROBED_BY: Readonly<Record<string, Protocol>> = { HTTPS: "HTTPS", TLS: "HTTPS", HTTP: "HTTP", TCP: "TCP" };

/**
 * The health check of a listener's record: the policy's, with the protocol and port of the listener where it names none.
 * A policy that names another protocol than the listener's gets the port of the host's listener for that protocol, for the
 * listener's own answers to another. Undefined where neither says how to ask.
 *
 * @param sameHost all listeners of the host, by precedence
 */
export function healthCheckOf(
  check: PolicyHealthCheck,
  listener: Listener,
  sameHost: readonly Listener[],
): HealthCheckInput | undefined {
  const protocol = check.protocol ?? PROBED_BY[listener.protocol];
  if (protocol === undefined) return undefined;
  const port = check.port ?? portFor(protocol, listener, sameHost);
  return { ...check, protocol, ...(port !== undefined && { port }) };
}

function portFor(protocol: Protocol, listener: Listener, sameHost: readonly Listener[]): number | undefined {
  if (protocol === "TCP") return listener.port;
  return [listener, ...sameHost].find((one) => PROBED_BY[one.protocol] === protocol)?.port;
}
