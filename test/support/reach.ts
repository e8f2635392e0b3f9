import { connect } from "cloudflare:sockets";
import { env } from "cloudflare:workers";
import type { Env } from "../../workers/env.ts";
import { verifierOf } from "../../workers/prober/dial/certificate-verifier.ts";
import type { Reach } from "../../workers/prober/dial/probe-address.ts";

/** Real sockets, and certificates verified against the roots of the tests' settings. */
export const reach: Reach = { connect, verify: verifierOf(env as Env) };

/** A slot that nobody counts. */
export const free = { settled: () => undefined, closed: () => undefined };
