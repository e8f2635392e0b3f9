import type { CoordinatorState, Root, Share } from "../state.ts";

/** The record of the share; created if there is none. */
export function rootFor(state: CoordinatorState, { spec: { rootHost } }: Share): Root {
  const known = state.roots.get(rootHost);
  if (known !== undefined) return known;
  const root: Root = {
    rootHost,
    shares: [],
    merged: { endpoints: [], minPublished: 1, whenSilent: "Publish", conflicts: [] },
    probes: new Map(),
    leavesByProbe: new Map(),
    decision: undefined,
    claimed: [],
    advisories: [],
  };
  state.roots.set(rootHost, root);
  return root;
}

/** Marks the record and each cluster with a share in it as changed. */
export function markChanged(state: CoordinatorState, root: Root): void {
  state.changedRoots.add(root.rootHost);
  for (const share of root.shares) {
    const cluster = state.clusters.get(share.cluster);
    if (cluster !== undefined) state.changedClusters.add(cluster);
  }
}
