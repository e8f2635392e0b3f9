import { makeKeyShare } from "./key-share.ts";
import type { GroupName } from "./parameters.ts";

const TRIED = new Map<GroupName, boolean>();

/**
 * The groups in which this runtime's own two sides agree, tried once an isolate. One that it gets wrong is not offered: else
 * trouble of our own would look like a bad key share of every server. @throws where none is left
 */
export function usableGroups(groups: readonly GroupName[], make = makeKeyShare, tried = TRIED): GroupName[] {
  const left = groups.filter((group) => {
    if (!tried.has(group)) tried.set(group, doAgree(group, make));
    return tried.get(group);
  });
  if (left.length === 0) throw new Error(`the runtime can do none of the key exchanges ${groups.join(", ")}`);
  return left;
}

function doAgree(group: GroupName, make: typeof makeKeyShare): boolean {
  try {
    const [own, peer] = [make(group), make(group)];
    return Buffer.from(own.agree(peer.publicKey)).equals(peer.agree(own.publicKey));
  } catch {
    return false;
  }
}
