import { z } from "zod";
import { REASON_NAMES } from "../reason.ts";

export const reason = z.enum(REASON_NAMES);

/**
 * How long each phase took to be reached, in milliseconds; one that was not reached is absent. `connectMs`, `tlsMs` (the
 * handshake is done) and `firstByteMs` (of the answer) count from the dial.
 */
export const phases = z.object({
  resolveMs: z.number().nonnegative().optional(),
  connectMs: z.number().nonnegative().optional(),
  tlsMs: z.number().nonnegative().optional(),
  firstByteMs: z.number().nonnegative().optional(),
  totalMs: z.number().nonnegative(),
});
export type Phases = z.infer<typeof phases>;

export const MAX_MESSAGE_CHARACTERS = 300;

/** What was found of the TLS session of an HTTPS probe, as far as the handshake came. Times are UTC instants, Unix ms. */
export const tls = z.object({
  version: z.string().describe("`TLSv1.3` or `TLSv1.2`."),
  cipherSuite: z.string().describe("By its IANA name."),
  notAfter: z.int().optional().describe("When the server's own certificate ends."),
  expiresAt: z.int().optional().describe("When the first certificate of the verified chain ends."),
  skipped: z
    .object({ reason, message: z.string().max(MAX_MESSAGE_CHARACTERS) })
    .optional()
    .describe("What verification found, and allowInsecureCertificate let pass."),
});
export type ObservedTls = z.infer<typeof tls>;

/** The outcome of one probe, once, from one region. `outcomeOf(reason)` says how it counts. */
export const observation = z.object({
  reason,
  message: z.string().max(MAX_MESSAGE_CHARACTERS).optional().describe("For a person; never holds a header value."),
  /** When the check ended, Unix ms. */
  at: z.int().nonnegative(),
  phases,
  address: z.string().optional().describe("The address asked, where the leaf is a host name."),
  httpStatus: z.int().optional(),
  tls: tls.optional(),
});
export type Observation = z.infer<typeof observation>;
