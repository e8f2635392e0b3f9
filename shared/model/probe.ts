import { z } from "zod";
import { protocol } from "./protocol.ts";

/** `cluster/namespace/name/leaf`: readable, unique, stable over edits of anything but the leaf. */
export const probeId = z.string().min(1).max(800);

const base64 = z.base64({ error: "must be base64" });

/** Secrets under AES-GCM, in base64, with the id of the key. Those of headers are opened by the prober alone, in memory. */
export const sealed = z.object({ keyId: z.string(), iv: base64, ciphertext: base64 });
export type Sealed = z.infer<typeof sealed>;

/** Secret headers of a record: sealed, with a keyed digest that tells whether they changed. */
export const sealedHeaders = z.object({ sealed, digest: z.string() });
export type SealedHeaders = z.infer<typeof sealedHeaders>;

const target = z.object({
  protocol,
  leaf: z.string().describe("A canonical address, or a host name that is resolved at each check."),
  port: z.int(),
  host: z.string().describe("Host header, without port; with HTTPS also the server name (SNI) and the name to verify."),
  path: z.string(),
});

const expectation = z.object({
  statuses: z.array(z.object({ from: z.int(), to: z.int() })),
  body: z.string().optional(),
  addressPolicy: z.enum(["Any", "All"]),
  /** Absent where certificates are verified, as they always were: such rows and messages are older than the field. */
  allowInsecureCertificate: z.literal(true).optional(),
});

/** What one region says of one probe: nothing until a threshold was reached for the first time. */
const word = z.enum(["Pending", "Healthy", "Unhealthy"]);
export type Word = z.infer<typeof word>;

/** Consecutive outcomes, at most one of them above zero, and what the region says by them (docs/design/health.md, counting). */
export const counts = z.object({
  failures: z.int().nonnegative(),
  successes: z.int().nonnegative(),
  says: word,
});
export type Counts = z.infer<typeof counts>;

/** One target to ask, as a prober is given it. */
export const probe = z.object({
  id: probeId,
  /** Changes with target and expectation, and only with them: another revision starts the counts from zero. */
  revision: z.string(),
  target,
  expectation,
  headers: sealedHeaders.optional(),
  timeoutMs: z.int().positive(),
  /** Between two checks while what the region says is unsettled; absent in rows and messages older than the field, which have no such checks. */
  confirmIntervalMs: z.int().positive().optional(),
  failureThreshold: z.int().nonnegative(),
  successThreshold: z.int().positive(),
  /** The region's last word, for a prober that has no counts of this revision: a move between shards recounts nothing. */
  carried: counts.optional(),
});
export type Probe = z.infer<typeof probe>;
export type ProbeTarget = Probe["target"];
export type Expectation = Probe["expectation"];
