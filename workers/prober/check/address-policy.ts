import type { Outcome } from "../../../shared/reason.ts";
import { outcomeOf } from "../../../shared/reason.ts";
import type { ProbeResult } from "../probe/probe-request.ts";

type Policy = "Any" | "All";

/** Which outcome decides first (design §3, counting): with `Any` one good address is enough, with `All` one bad one. */
const ORDER: Record<Policy, readonly Outcome[]> = {
  Any: ["ok", "indeterminate", "failed"],
  All: ["failed", "indeterminate", "ok"],
};

/** The probeResult that stands for all addresses of a leaf: the first of the outcome that decides. Undefined for none. */
export function applyAddressPolicy(probeResults: readonly ProbeResult[], policy: Policy): ProbeResult | undefined {
  for (const outcome of ORDER[policy]) {
    const found = probeResults.find((probeResult) => outcomeOf(probeResult.reason) === outcome);
    if (found !== undefined) return found;
  }
  return undefined;
}
