import { createHash } from "node:crypto";

/** A short key for a distinguished name in DER, as the generated module of roots is indexed. Equal keys need a look. */
export function subjectKey(subject: Uint8Array): string {
  return createHash("sha256").update(subject).digest("base64url").slice(0, 12);
}
