import { addressFamily } from "../../../shared/model/address.ts";
import { MAX_MESSAGE_CHARACTERS, type Observation } from "../../../shared/model/observation.ts";
import type { Probe } from "../../../shared/model/probe.ts";
import { notProbeable } from "../../../shared/probeable.ts";
import { type Outcome, outcomeOf } from "../../../shared/reason.ts";
import type { Settings } from "../../settings.ts";
import { type ProbeRequest, type ProbeResult, type ProtocolResult, protocolResult } from "../probe/probe-request.ts";
import type { CachingResolver, ResolvedName } from "../resolve/caching-resolver.ts";
import { decryptHeaders } from "./decrypt-headers.ts";

export interface CheckDependencies {
  settings: Settings;
  userAgent: string;
  /** How long addresses of a name serve beyond their TTL where the resolver fails. */
  staleMs: number;
  names: CachingResolver;
  /** Asks one address; undefined where it got no slot. */
  ask: (question: ProbeRequest) => Promise<ProbeResult | undefined>;
}

/** How a check went: the outcome, and what each address that was dialled said. */
export interface CheckResult {
  observation: Observation;
  probeResults: ProbeResult[];
}

/** Checks a probe once: its leaf is resolved if it is a name, and every address is asked. Undefined if it got no slot. */
export async function check(probe: Probe, parts: CheckDependencies): Promise<CheckResult | undefined> {
  const opened =
    probe.headers === undefined ? { headers: {} } : await decryptHeaders(probe.headers.sealed, parts.settings);
  if ("problem" in opened)
    return result([undialled(protocolResult("HeadersUnreadable", opened.problem))], probe, undefined);
  const resolution = await resolve(probe, parts);
  const leftMs = probe.timeoutMs - Math.min(resolution?.resolveMs ?? 0, resolverShareMs(probe));
  const addresses = resolution?.addresses ?? [probe.target.leaf];
  const probeResults = await Promise.all(
    addresses.map((address) =>
      askOne({ ...questionOf(probe, parts), address, headers: opened.headers, timeoutMs: leftMs }, parts),
    ),
  );
  const asked = probeResults.filter((probeResult) => probeResult !== undefined);
  if (asked.length < probeResults.length) return undefined;
  return result([...asked, ...unresolved(probe, resolution)], probe, resolution);
}

/** A check that could not be made because the prober itself failed. */
export function failedCheck(error: unknown): CheckResult {
  const message = `The prober failed: ${error}`.slice(0, MAX_MESSAGE_CHARACTERS);
  return {
    observation: { reason: "InternalError", message, at: Date.now(), phases: { totalMs: 0 } },
    probeResults: [],
  };
}

/**
 * A slow resolver must not leave the leaf too little time to answer. It has half of the time. More may be gone where the answer
 * was shared with a probe that has more time.
 */
const resolverShareMs = (probe: Probe) => probe.timeoutMs / 2;

async function resolve(probe: Probe, parts: CheckDependencies): Promise<ResolvedName | undefined> {
  const { leaf } = probe.target;
  if (addressFamily(leaf) !== undefined) return undefined;
  return parts.names.resolve(leaf, resolverShareMs(probe), parts.staleMs);
}

function questionOf({ target, expectation }: Probe, { userAgent }: CheckDependencies) {
  const { protocol, port, host, path } = target;
  const { addressPolicy: _, ...expected } = expectation;
  return { protocol, port, host, path, expectation: expected, userAgent };
}

/** Refused ranges are decided before dialling: the platform's refusal of them reads like a closed port. */
async function askOne(question: ProbeRequest, parts: CheckDependencies): Promise<ProbeResult | undefined> {
  const refusal = notProbeable(question.address, parts.settings.ALLOW_PRIVATE_ADDRESSES);
  if (refusal === undefined) return parts.ask(question);
  return undialled(protocolResult("NotProbeable", `${question.address} cannot be probed: it is ${refusal}.`));
}

/** What the resolver leaves open: no address at all is the name's fault, an answer that is missing is not. */
function unresolved(probe: Probe, resolution: ResolvedName | undefined): ProbeResult[] {
  if (resolution === undefined) return [];
  const { leaf } = probe.target;
  if (resolution.trouble !== undefined) {
    return [undialled(protocolResult("ResolverFailed", `${leaf} could not be resolved: ${resolution.trouble}.`))];
  }
  if (resolution.addresses.length > 0) return [];
  return [undialled(protocolResult("NoAddress", `${leaf} has neither an A nor an AAAA record.`))];
}

function undialled(given: ProtocolResult): ProbeResult {
  return { ...given, phases: { totalMs: 0 } };
}

function result(probeResults: ProbeResult[], probe: Probe, resolution: ResolvedName | undefined): CheckResult {
  const decisive =
    applyAddressPolicy(probeResults, probe.expectation.addressPolicy) ??
    undialled(protocolResult("InternalError", "Nothing was asked."));
  const { address, phases, message, ...rest } = decisive;
  const resolveMs = resolution?.resolveMs;
  const observation: Observation = {
    ...rest,
    ...(message !== undefined && { message: message.slice(0, MAX_MESSAGE_CHARACTERS) }),
    at: Date.now(),
    phases: { ...phases, ...(resolveMs !== undefined && { resolveMs }), totalMs: phases.totalMs + (resolveMs ?? 0) },
    ...(resolution !== undefined && address !== undefined && { address }),
  };
  return { observation, probeResults };
}

type Policy = "Any" | "All";

/**
 * Which outcome decides first (docs/design/health.md, counting): with `Any` one good address is enough, with `All` one bad one.
 */
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
