import type { AlertName } from "./alert.ts";
import type { TlsFault, TlsReason } from "./fault.ts";

/** Ends a connection: thrown inside the client only, which turns it into the fault and the alert to send. */
export class Refusal extends Error {
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
  throw new Refusal({ reason, message: text }, alert);
}
