import { type GatewayIdentities, startGateway } from "../../../local/sample-gateways.ts";
import { startFadingGateway } from "./black-hole.ts";
import type { Subject } from "./cases.ts";

/** What a subject's address leads to: well until it is broken, in the subject's own way. */
export interface Breakable {
  fail(): Promise<void>;
  mend(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the gateway of a subject, on this port of its address. */
export async function startBreakable(
  { address, fault }: Pick<Subject, "address" | "fault">,
  port: number,
  identities: GatewayIdentities,
): Promise<Breakable> {
  if (fault === "blackHole") {
    const gateway = await startFadingGateway(address, port);
    return { fail: gateway.vanish, mend: async () => gateway.reappear(), stop: gateway.stop };
  }
  const gateway = await startGateway({ number: 0, address, port, ...(fault === "misnamed" && { identities }) });
  return { fail: () => gateway.change(fault), mend: () => gateway.change(undefined), stop: gateway.stop };
}
