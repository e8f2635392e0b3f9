/** A snapshot that was refused for what it lacks: what it held, and when it was signed (Unix ms). */
export type PendingShrink = { digest: string; signedAtMs: number };

export interface ShrinkCase {
  /** Records that the edge holds, and that the snapshot brings. */
  held: number;
  coming: number;
  allowShrink: boolean;
  /** Of the snapshot's contents. */
  digest: string;
  signedAtMs: number;
  pending: PendingShrink | undefined;
}

/**
 * Whether a snapshot is refused for what it lacks: it is empty, or has less than half of the records, nobody said that it
 * may, and it has not come unchanged before (design §4, snapshot). Only one signed later is a second time, not a replay.
 */
export function isShrinkRefused({ held, coming, allowShrink, digest, signedAtMs, pending }: ShrinkCase): boolean {
  const shrinks = coming === 0 ? held > 0 : coming * 2 < held;
  if (!shrinks || allowShrink) return false;
  return pending === undefined || pending.digest !== digest || signedAtMs <= pending.signedAtMs;
}
