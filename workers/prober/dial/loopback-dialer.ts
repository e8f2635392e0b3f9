import { connect } from "cloudflare:sockets";
import { WorkerEntrypoint } from "cloudflare:workers";
import type { Env } from "../../env.ts";
import type { ProbeRequest, ProbeResult } from "../probe/probe-request.ts";
import { certificateVerifierOf } from "./certificate-verifier.ts";
import { probeAddress } from "./probe-address.ts";

/**
 * Asks one address in an invocation of its own. A dial that nobody answers cannot be cancelled and takes its slot for
 * some 20 s (workerd issue 2060), but when the invocation returns, its sockets are gone.
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
