import type { SocketAddress } from "../../shared/model/socket-address.ts";
import type { ProbeRequest } from "../prober/probe/probe-request.ts";

/** A question as a prober would ask it; any status is right, since what is measured is the way there. */
export function questionOf(
  protocol: "TCP" | "HTTPS",
  { address, port }: SocketAddress,
  host: string,
  timeoutMs: number,
): ProbeRequest {
  return {
    protocol,
    address,
    port,
    host,
    path: "/",
    expectation: { statuses: [{ from: 100, to: 599 }] },
    headers: {},
    userAgent: "Vedette self-test",
    timeoutMs,
  };
}
