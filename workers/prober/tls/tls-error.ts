import type { AlertName } from "./alert.ts";

/** Ends a connection: thrown inside the client only, which turns it into the fault and the alert to send. */
export class TlsError extends Error {
  readonly fault: TlsFault;
  /** The alert that tells the peer, unless it was the peer that ended the connection. */
  readonly alert: AlertName | undefined;

  constructor(fault: TlsFault, alert: AlertName | undefined) {
    super(fault.message);
    this.fault = fault;
    this.alert = alert;
  }
}

/** @param message what the server did, as in "The server breaks the TLS protocol: its ServerHello ends too early" */
export function refuse(alert: AlertName, message: string, reason: TlsReason = "TLSProtocolError"): never {
  const text = reason === "TLSProtocolError" ? `The server breaks the TLS protocol: ${message} (${alert})` : message;
  throw new TlsError({ reason, message: text }, alert);
}

/** What can be wrong with a TLS server: the target's fault, but for `InternalError`, which is ours. */
export type TlsReason =
  | "CertificateExpired"
  | "CertificateNotYetValid"
  | "CertificateNameMismatch"
  | "CertificateUntrusted"
  | "CertificateInvalid"
  | "TLSVersionUnsupported"
  | "TLSAlert"
  | "TLSProtocolError"
  | "InternalError";

/** A reason, and a message that a person can act on. */
export interface TlsFault {
  reason: TlsReason;
  message: string;
}
