import { WorkerEntrypoint } from "cloudflare:workers";
import type { Env } from "../env.ts";

/** The cheapest invocation of one's own Worker there is, to count how many the platform grants. */
export class SelfTestEcho extends WorkerEntrypoint<Env> {
  echo(n: number): number {
    return n;
  }
}
