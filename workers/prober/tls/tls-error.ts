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

/** RFC 8446 §6 and the registry of TLS alerts (RFC 8447 §11); those of older versions are here to be named. */
const ALERTS = {
  close_notify: 0,
  unexpected_message: 10,
  bad_record_mac: 20,
  decryption_failed: 21,
  record_overflow: 22,
  decompression_failure: 30,
  handshake_failure: 40,
  no_certificate: 41,
  bad_certificate: 42,
  unsupported_certificate: 43,
  certificate_revoked: 44,
  certificate_expired: 45,
  certificate_unknown: 46,
  illegal_parameter: 47,
  unknown_ca: 48,
  access_denied: 49,
  decode_error: 50,
  decrypt_error: 51,
  export_restriction: 60,
  protocol_version: 70,
  insufficient_security: 71,
  internal_error: 80,
  inappropriate_fallback: 86,
  user_canceled: 90,
  no_renegotiation: 100,
  missing_extension: 109,
  unsupported_extension: 110,
  certificate_unobtainable: 111,
  unrecognized_name: 112,
  bad_certificate_status_response: 113,
  bad_certificate_hash_value: 114,
  unknown_psk_identity: 115,
  certificate_required: 116,
  no_application_protocol: 120,
  ech_required: 121,
} as const;

export type AlertName = keyof typeof ALERTS;

const NAMES = new Map<number, string>(Object.entries(ALERTS).map(([name, code]) => [code, name]));

export const alertCode = (name: AlertName): number => ALERTS[name];

export const alertName = (code: number): string => NAMES.get(code) ?? `alert ${code}`;

const NO_CERTIFICATE = "it wants a client certificate, and a probe has none";

const HINTS: Partial<Record<AlertName, string>> = {
  handshake_failure:
    "it shares no cipher suite, key exchange group or signature algorithm with a probe, has no certificate for this host, or failed inside",
  insufficient_security: "it wants stronger cipher suites than a probe offers",
  unrecognized_name: "it serves no virtual host of this name; check the probe's host",
  certificate_required: NO_CERTIFICATE,
  bad_certificate: NO_CERTIFICATE,
  access_denied: "it refuses this client, perhaps for want of a client certificate",
  internal_error: "something failed inside the server; its log should say what",
  no_application_protocol: "it does not speak http/1.1 on this port",
  protocol_version: "it speaks neither TLS 1.2 nor TLS 1.3",
  close_notify: "it closed the connection in the middle of the handshake",
  decode_error: "it could not read what was sent; something in between may have changed it",
  bad_record_mac: "it could not decrypt what was sent; something in between may have changed it",
};

/** What an alert from the server means, as text that a person can act on. */
export function alertFault(
  code: number,
  { open, certificateWanted }: { open: boolean; certificateWanted: boolean },
): TlsFault {
  const name = alertName(code);
  const hint = name === "handshake_failure" && certificateWanted ? NO_CERTIFICATE : HINTS[name as AlertName];
  const message = `The server ${open ? "broke off" : "refused the handshake"} with alert ${name}${hint ? `: ${hint}` : ""}`;
  return { reason: name === "protocol_version" ? "TLSVersionUnsupported" : "TLSAlert", message };
}
