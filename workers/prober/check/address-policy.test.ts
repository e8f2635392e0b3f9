import { describe, expect, it } from "vitest";
import type { Reason } from "../../../shared/reason.ts";
import type { ProbeResult } from "../probe/probe-request.ts";
import { applyAddressPolicy } from "./check.ts";

const probeResult = (reason: Reason): ProbeResult => ({ reason, phases: { totalMs: 0 } });

/** The results of a leaf's addresses, and the outcome with `Any` and with `All` (docs/design/health.md, counting). */
const CASES: [Reason[], Reason | undefined, Reason | undefined][] = [
  [[], undefined, undefined],
  [["Ok"], "Ok", "Ok"],
  [["Ok", "ConnectFailed"], "Ok", "ConnectFailed"],
  [["ConnectFailed", "Ok"], "Ok", "ConnectFailed"],
  [["ConnectFailed", "ResolverFailed"], "ResolverFailed", "ConnectFailed"],
  [["Ok", "NotProbeable"], "Ok", "NotProbeable"],
  [["NotProbeable", "ConnectFailed", "Ok"], "Ok", "ConnectFailed"],
  [["ConnectFailed", "BodyMismatch"], "ConnectFailed", "ConnectFailed"],
  [["NoAddress"], "NoAddress", "NoAddress"],
];

describe("the addresses of a leaf", () => {
  it.each(CASES)("%j are %s with Any and %s with All", (reasons, any, all) => {
    expect(applyAddressPolicy(reasons.map(probeResult), "Any")?.reason).toBe(any);
    expect(applyAddressPolicy(reasons.map(probeResult), "All")?.reason).toBe(all);
  });
});
