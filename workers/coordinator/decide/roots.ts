import type { Root, Share, World } from "../state.ts";

/** The record that the share is of; made where there is none. */
export function rootOf(world: World, { spec: { rootHost } }: Share): Root {
  const known = world.roots.get(rootHost);
  if (known !== undefined) return known;
  const root: Root = {
    rootHost,
    shares: [],
    merged: { endpoints: [], minPublished: 1, whenSilent: "Publish", conflicts: [] },
    probes: new Map(),
    wished: new Map(),
    decision: undefined,
    claimed: [],
    advisories: [],
  };
  world.roots.set(rootHost, root);
  return root;
}

/** Marks the record, and every cluster that has a share in it: its decisions have changed in something that matters. */
export function touch(world: World, root: Root): void {
  world.changedRoots.add(root.rootHost);
  for (const share of root.shares) {
    const cluster = world.clusters.get(share.cluster);
    if (cluster !== undefined) world.changedClusters.add(cluster);
  }
}
