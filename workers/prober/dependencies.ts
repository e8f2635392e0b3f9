import { connect } from "cloudflare:sockets";
import { coordinatorOf, type Env } from "../env.ts";
import { readSettings } from "../settings.ts";
import type { DialerDependencies } from "./dial/dialer.ts";
import { certificateVerifierOf, type LoopbackDialer } from "./dial/loopback-dialer.ts";
import type { SendReport } from "./reporter.ts";
import type { QueryFamily } from "./resolve/caching-resolver.ts";
import { queryResolver } from "./resolve/dns-over-https.ts";

/** All external effects of a prober, in one place, so that a test can replace any. */
export interface ProberDependencies extends DialerDependencies {
  queryFamily: QueryFamily;
  sendReport: SendReport;
}

export function dependenciesOf(ctx: DurableObjectState, env: Env): ProberDependencies {
  return {
    connect,
    verify: certificateVerifierOf(env),
    probeInLoopback: (question) => loopbackOf(ctx).ask(question),
    probeBatchInLoopback: (questions) => loopbackOf(ctx).askAll(questions),
    queryFamily: (name, family, timeoutMs) => queryResolver(readSettings(env).RESOLVER_URL, name, family, timeoutMs),
    sendReport: (report) => coordinatorOf(env, report.shard.partition).report(report),
  };
}

/** The Worker's own entrypoint `LoopbackDialer`, called as an invocation of its own. */
function loopbackOf(ctx: DurableObjectState): Pick<LoopbackDialer, "ask" | "askAll"> {
  return Reflect.get(ctx.exports, "LoopbackDialer") as Pick<LoopbackDialer, "ask" | "askAll">;
}
