import type { Connection } from "../dial/connection.ts";
import type { Deadline } from "../dial/deadline.ts";
import type { Verify } from "../tls/verify/verifier.ts";
import type { ProbeRequest, ProtocolResult } from "./probe-request.ts";

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
