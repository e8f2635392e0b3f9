/** A snapshot that was refused because it lacks records: its content, and when it was signed (Unix ms). */
export type PendingShrink = { digest: string; signedAtMs: number };

export interface ShrinkCase {
  /** The numbers of records at the edge and in the snapshot. */
  held: number;
  coming: number;
  allowShrink: boolean;
  /** The hash of the snapshot's content. */
  digest: string;
  signedAtMs: number;
  pending: PendingShrink | undefined;
}

/**
 * Whether a snapshot is refused because it lacks records: it is empty or has less than half of them, without
 * `allowShrink`. It is accepted when it comes unchanged a second time (docs/design/interfaces.md, snapshot). The second
 * one must be signed later, because an equal time is a replay.
 */
export function isShrinkRefused({ held, coming, allowShrink, digest, signedAtMs, pending }: ShrinkCase): boolean {
  const shrinks = coming === 0 ? held > 0 : coming * 2 < held;
  if (!shrinks || allowShrink) return false;
  return pending === undefined || pending.digest !== digest || signedAtMs <= pending.signedAtMs;
}
