import { Webhook } from "standardwebhooks";
import { sameSecret } from "./constant-time.ts";

/** How far the signed time may be from the receiver's clock, both ways (docs/design/interfaces.md, signatures). */
export const SIGNATURE_TOLERANCE_MS = 5 * 60_000;
/** Bytes of randomness behind a secret. */
export const SECRET_BYTES = 32;
const MAX_SIGNATURES = 10;
/** No dot: what is signed is `id.timestamp.text`, and the parts must not be able to trade places. */
const WEBHOOK_ID = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * A request as Standard Webhooks signs it: three headers and the signed text. The text is the body. A request without a body (the
 * agent pulls its delivery) signs the request target, path and query.
 */
export interface SignedRequest {
  webhookId: string | undefined;
  webhookTimestamp: string | undefined;
  webhookSignature: string | undefined;
  body: string;
}

export type SignatureFault =
  | "SignatureMissing"
  | "SignatureMalformed"
  | "TimestampMalformed"
  | "TimestampTooOld"
  | "TimestampTooNew"
  | "SignatureInvalid";

/**
 * The headers that sign `text` (https://www.standardwebhooks.com). `id` stays the same over retries of one message, the
 * time does not; letters, digits, `_` and `-` only. With several secrets each signs, for a receiver that knows one of them.
 */
export function signatureHeaders(
  secrets: string | readonly string[],
  id: string,
  text: string,
  nowMs: number,
): Record<string, string> {
  const seconds = Math.floor(nowMs / 1_000);
  const signatures = [secrets].flat().map((secret) => new Webhook(secret).sign(id, new Date(seconds * 1_000), text));
  return {
    "webhook-id": id,
    "webhook-timestamp": `${seconds}`,
    "webhook-signature": signatures.join(" "),
  };
}

/**
 * What is wrong with a signed request, or undefined when one of the secrets signed it within the tolerance. Every secret
 * is tried, so that two are valid while rotating.
 */
export function signatureFault(
  request: SignedRequest,
  secrets: readonly string[],
  nowMs: number,
): SignatureFault | undefined {
  const { webhookId, webhookTimestamp, webhookSignature } = request;
  if (!webhookId || !webhookTimestamp || !webhookSignature) return "SignatureMissing";
  if (!WEBHOOK_ID.test(webhookId)) return "SignatureMalformed";
  const signedAtMs = signedTimeMs(request);
  if (signedAtMs === undefined) return "TimestampMalformed";
  if (nowMs - signedAtMs > SIGNATURE_TOLERANCE_MS) return "TimestampTooOld";
  if (signedAtMs - nowMs > SIGNATURE_TOLERANCE_MS) return "TimestampTooNew";
  const given = webhookSignature.split(" ");
  if (given.length > MAX_SIGNATURES) return "SignatureMalformed";
  const expected = secrets.map((secret) => new Webhook(secret).sign(webhookId, new Date(signedAtMs), request.body));
  const matches = expected.flatMap((one) => given.map((other) => sameSecret(one, other)));
  return matches.includes(true) ? undefined : "SignatureInvalid";
}

/** When the request was signed, Unix ms, by its own word; undefined where that is no time in whole seconds. */
export function signedTimeMs(request: SignedRequest): number | undefined {
  const text = request.webhookTimestamp ?? "";
  return /^\d{1,13}$/.test(text) ? Number(text) * 1_000 : undefined;
}

/** A secret in the form that Standard Webhooks gives it, from {@link SECRET_BYTES} random bytes. */
export function formatSecret(random: Uint8Array): string {
  return `whsec_${btoa(String.fromCharCode(...random))}`;
}
