import { connect } from "cloudflare:sockets";
import { env } from "cloudflare:workers";
import type { Env } from "../../workers/env.ts";
import { certificateVerifierOf } from "../../workers/prober/dial/loopback-dialer.ts";
import type { ProbeTransport } from "../../workers/prober/dial/probe-address.ts";

/** Real sockets, and certificates verified against the roots of the tests' settings. */
export const reach: ProbeTransport = { connect, verify: certificateVerifierOf(env as Env) };

/** A slot that nobody counts. */
export const free = { settled: () => undefined, closed: () => undefined };
