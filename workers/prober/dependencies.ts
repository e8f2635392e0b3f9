import { connect } from "cloudflare:sockets";
import type { Env } from "../env.ts";
import { coordinatorOf } from "../env.ts";
import { readSettings } from "../settings.ts";
import { verifierOf } from "./dial/certificate-verifier.ts";
import type { Ways } from "./dial/dialer.ts";
import type { SuspectDialler } from "./dial/loopback-dialer.ts";
import type { SendReport } from "./reporter.ts";
import type { AskFamily } from "./resolve/caching-resolver.ts";
import { askResolver } from "./resolve/dns-over-https.ts";

/** All that a prober does beyond itself, in one place, so that a test can stand in for any of it. */
export interface Outside extends Ways {
  askFamily: AskFamily;
  sendReport: SendReport;
}

export function outsideOf(ctx: DurableObjectState, env: Env): Outside {
  return {
    connect,
    verify: verifierOf(env),
    askElsewhere: (question) => loopbackOf(ctx).ask(question),
    askTogether: (questions) => loopbackOf(ctx).askAll(questions),
    askFamily: (name, family, timeoutMs) => askResolver(readSettings(env).RESOLVER_URL, name, family, timeoutMs),
    sendReport: (report) => coordinatorOf(env, report.shard.partition).report(report),
  };
}

/** The Worker's own entrypoint `SuspectDialler`, called as an invocation of its own. */
function loopbackOf(ctx: DurableObjectState): Pick<SuspectDialler, "ask" | "askAll"> {
  return Reflect.get(ctx.exports, "SuspectDialler") as Pick<SuspectDialler, "ask" | "askAll">;
}
