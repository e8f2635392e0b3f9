import { connect } from "cloudflare:sockets";
import { WorkerEntrypoint } from "cloudflare:workers";
import type { Env } from "../../env.ts";
import type { Finding, Question } from "../probe/probe-request.ts";
import { verifierOf } from "./certificate-verifier.ts";
import { askAddress } from "./probe-address.ts";

/**
 * Asks one address in an invocation of its own. A dial that nobody answers cannot be cancelled and takes its slot for
 * some 20 s (workerd issue 2060), but when the invocation returns, its sockets are gone.
 */
export class SuspectDialler extends WorkerEntrypoint<Env> {
  ask(question: Question): Promise<Finding> {
    return askAddress({ connect, verify: verifierOf(this.env) }, question, {
      settled: () => undefined,
      closed: () => undefined,
    });
  }

  /** The same for several addresses at once. */
  askAll(questions: readonly Question[]): Promise<Finding[]> {
    return Promise.all(questions.map((question) => this.ask(question)));
  }
}
