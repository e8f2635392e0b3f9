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
