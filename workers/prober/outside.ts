import { connect } from "cloudflare:sockets";
import type { Env } from "../env.ts";
import { coordinatorOf } from "../env.ts";
import { readSettings } from "../settings.ts";
import type { Ways } from "./dialler.ts";
import type { SendReport } from "./reporter.ts";
import { askResolver } from "./resolve/ask-resolver.ts";
import type { AskFamily } from "./resolve/names.ts";
import type { SuspectDialler } from "./suspect-dialler.ts";
import { verifierOf } from "./trust.ts";

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
