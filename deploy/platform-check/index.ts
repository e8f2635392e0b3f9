import { WorkerEntrypoint } from "cloudflare:workers";
import { sameSecret } from "../../shared/constant-time.ts";
import { errorMessage } from "../../workers/retry.ts";
import { withTimeout } from "../../workers/timeout.ts";
import { measureHibernation, measureWakingAlarm } from "./measure-sleep.ts";
import { type CheckEnv, objectOf } from "./platform-check.ts";
import { type CheckRequest, checkRequest, type Figures } from "./protocol.ts";

export { LoopbackDialer } from "../../workers/prober/dial/loopback-dialer.ts";
export { PlatformCheck } from "./platform-check.ts";

/** The longest measurement, plus the wait for earlier ones at the same object. */
const LIMIT_MS = 110_000;

/** The cheapest call of its own Worker, to count how many the platform allows. */
export class Echo extends WorkerEntrypoint<CheckEnv> {
  echo(n: number): number {
    return n;
  }
}

export default {
  /** Answers `POST /` with the figures of one measurement. The token is made at each deployment. */
  async fetch(request, env): Promise<Response> {
    const token = /^Bearer +(.+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
    if (!env.CHECK_TOKEN || token === undefined || !sameSecret(token, env.CHECK_TOKEN))
      return new Response("Send the token of this deployment as a bearer token.\n", { status: 401 });
    if (request.method !== "POST") return new Response("Use POST.\n", { status: 405, headers: { allow: "POST" } });
    const read = checkRequest.safeParse(await request.json().catch(() => undefined));
    if (!read.success) return new Response(`${read.error.message}\n`, { status: 422 });
    return Response.json({ figures: await withTimeout(measure(env, read.data), LIMIT_MS).catch(failure) });
  },
} satisfies ExportedHandler<CheckEnv>;

/** A refusal of the platform is a finding too. It holds nothing secret: a request has only targets. */
const failure = (error: unknown): Figures => ({ error: errorMessage(error) });

function measure(env: CheckEnv, { measurement, region, ...rest }: CheckRequest): Promise<Figures> {
  const freshStub = () => objectOf(env, region, measurement);
  if (measurement === "hibernation") return measureHibernation(freshStub, rest.idleMs);
  if (measurement === "waking-alarm") return measureWakingAlarm(freshStub, rest.idleMs);
  return freshStub().measure({ measurement, region, ...rest });
}
