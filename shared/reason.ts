/** Whose fault an outcome is: only a fault of the target counts as a failure (docs/design/health.md, counting). */
export type Fault = "none" | "target" | "prober" | "configuration";

/** Every reason that an observation can have, and whose fault it is. A closed list: nothing else leaves the prober. */
export const REASONS = {
  Ok: "none",
  ConnectFailed: "target",
  ConnectTimeout: "target",
  ConnectionClosed: "target",
  ConnectionReset: "target",
  TLSHandshakeTimeout: "target",
  TLSVersionUnsupported: "target",
  TLSAlert: "target",
  TLSProtocolError: "target",
  CertificateExpired: "target",
  CertificateNotYetValid: "target",
  CertificateNameMismatch: "target",
  CertificateUntrusted: "target",
  CertificateInvalid: "target",
  ResponseTimeout: "target",
  MalformedResponse: "target",
  ResponseTooLarge: "target",
  UnexpectedStatus: "target",
  BodyMismatch: "target",
  NoAddress: "target",
  NotProbeable: "configuration",
  HeadersUnreadable: "configuration",
  ResolverFailed: "prober",
  ProberUnreachable: "prober",
  InternalError: "prober",
} as const satisfies Record<string, Fault>;

export type Reason = keyof typeof REASONS;

export const REASON_NAMES = Object.keys(REASONS) as [Reason, ...Reason[]];

export type Outcome = "ok" | "failed" | "indeterminate";

/** The outcome of an observation. A fault of ours, or of the configuration, is neither a success nor a failure. */
export function outcomeOf(reason: Reason): Outcome {
  const fault: Fault = REASONS[reason];
  if (fault === "none") return "ok";
  return fault === "target" ? "failed" : "indeterminate";
}
