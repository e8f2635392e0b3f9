import { MAX_MESSAGE_CHARACTERS, type ObservedTls, type Phases } from "../../../shared/model/observation.ts";
import type { Expectation } from "../../../shared/model/probe.ts";
import type { Protocol } from "../../../shared/model/protocol.ts";
import type { Reason } from "../../../shared/reason.ts";
import type { Connection } from "../dial/connection.ts";
import type { Deadline } from "../dial/deadline.ts";
import type { Verify } from "../tls/verify/verifier.ts";

/** One address to ask: plain data, so that it can cross to a loopback invocation. */
export interface ProbeRequest {
  protocol: Protocol;
  address: string;
  port: number;
  /** Host header, without port; with HTTPS also the server name (SNI) and the name to verify. */
  host: string;
  path: string;
  expectation: Omit<Expectation, "addressPolicy">;
  /** Opened header secrets: in memory only. */
  headers: Record<string, string>;
  userAgent: string;
  timeoutMs: number;
}

/** How one address answered. */
export interface ProbeResult {
  reason: Reason;
  message?: string;
  phases: Phases;
  httpStatus?: number;
  tls?: ObservedTls;
  address?: string;
}

/** What a protocol says of an answer, before the times are added. */
export type ProtocolResult = Pick<ProbeResult, "reason" | "message" | "httpStatus" | "tls">;

/** An answer whose message fits an observation. */
export function protocolResult(reason: Reason, message?: string, httpStatus?: number): ProtocolResult {
  return {
    reason,
    ...(message !== undefined && { message: message.slice(0, MAX_MESSAGE_CHARACTERS) }),
    ...(httpStatus !== undefined && { httpStatus }),
  };
}

/** How far a check has come. */
export interface Progress {
  /** The peer's first octet came, whatever it says. */
  heard(): void;
  /** The TLS handshake is done. */
  secured(): void;
  /** The first octet of the answer came. */
  answered(): void;
}

export interface ProbeContext {
  deadline: Deadline;
  progress: Progress;
  verify: Verify;
}

/** Asks over a connection that is open, and says how it went. The caller closes the connection. */
export type ProtocolProbe = (
  connection: Connection,
  question: ProbeRequest,
  parts: ProbeContext,
) => Promise<ProtocolResult>;
