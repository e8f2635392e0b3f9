import type { Observation } from "../model/observation.ts";
import type { Reason } from "../reason.ts";

const WORDS: Record<Reason, string> = {
  Ok: "ok",
  ConnectFailed: "connect failed",
  ConnectTimeout: "connect timeout",
  ConnectionClosed: "connection closed",
  ConnectionReset: "connection reset",
  TLSHandshakeTimeout: "TLS handshake timeout",
  TLSVersionUnsupported: "TLS version unsupported",
  TLSAlert: "TLS alert",
  TLSProtocolError: "TLS protocol error",
  CertificateExpired: "certificate expired",
  CertificateNotYetValid: "certificate not yet valid",
  CertificateNameMismatch: "certificate name mismatch",
  CertificateUntrusted: "certificate untrusted",
  CertificateInvalid: "certificate invalid",
  ResponseTimeout: "response timeout",
  MalformedResponse: "malformed response",
  ResponseTooLarge: "response too large",
  UnexpectedStatus: "unexpected status",
  BodyMismatch: "body mismatch",
  NoAddress: "no address",
  NotProbeable: "not probeable",
  HeadersUnreadable: "headers unreadable",
  ResolverFailed: "resolver failed",
  ProberUnreachable: "prober unreachable",
  InternalError: "internal error of the prober",
};

/**
 * Describes a reason: `connect timeout`, `unexpected status 503`. An unknown reason of a newer edge stands for itself.
 */
export function describeReason({ reason, httpStatus }: Pick<Observation, "reason" | "httpStatus">): string {
  const status = reason === "UnexpectedStatus" && httpStatus !== undefined ? ` ${httpStatus}` : "";
  return (WORDS[reason] ?? reason) + status;
}
