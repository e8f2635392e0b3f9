/** What can be wrong with a TLS server; all of it is the target's fault. */
export type TlsReason =
  | "CertificateExpired"
  | "CertificateNotYetValid"
  | "CertificateNameMismatch"
  | "CertificateUntrusted"
  | "CertificateInvalid"
  | "TLSVersionUnsupported"
  | "TLSAlert"
  | "TLSProtocolError";

/** A reason, and a message that a person can act on. */
export interface TlsFault {
  reason: TlsReason;
  message: string;
}
