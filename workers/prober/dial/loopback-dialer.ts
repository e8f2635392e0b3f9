import { connect } from "cloudflare:sockets";
import { WorkerEntrypoint } from "cloudflare:workers";
import type { Env } from "../../env.ts";
import { readSettings } from "../../settings.ts";
import type { ProbeRequest, ProbeResult } from "../probe/probe-request.ts";
import { rootStore } from "../tls/roots.ts";
import { makeVerifier, type Verify } from "../tls/verify/verifier.ts";
import { probeAddress } from "./probe-address.ts";

/**
 * Asks one address in an invocation of its own. A dial without an answer cannot be cancelled, and takes its slot for some 20 s
 * (workerd issue 2060). But when the invocation returns, its sockets are gone.
 */
export class LoopbackDialer extends WorkerEntrypoint<Env> {
  ask(question: ProbeRequest): Promise<ProbeResult> {
    return probeAddress({ connect, verify: certificateVerifierOf(this.env) }, question, {
      settled: () => undefined,
      closed: () => undefined,
    });
  }

  /** The same for several addresses at once. */
  askAll(questions: readonly ProbeRequest[]): Promise<ProbeResult[]> {
    return Promise.all(questions.map((question) => this.ask(question)));
  }
}

/** One for each environment: the roots of the settings are read once, at the first certificate. */
const verifiers = new WeakMap<Env, Verify>();

/** Verifies certificates against Mozilla's roots and those of the settings. */
export function certificateVerifierOf(env: Env): Verify {
  return (...given) => {
    const verify = verifiers.get(env) ?? makeVerifier(rootStore(readSettings(env).EXTRA_ROOTS));
    verifiers.set(env, verify);
    return verify(...given);
  };
}
