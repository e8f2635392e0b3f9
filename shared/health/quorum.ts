import type { Quorum } from "../model/quorum.ts";

/** k: how many of `regions` regions have to agree (docs/design/health.md, regions). A number beyond them means all of them. */
export function quorumSize(quorum: Quorum, regions: number): number {
  switch (quorum) {
    case "Any":
      return 1;
    case "Majority":
      return Math.floor(regions / 2) + 1;
    case "All":
      return regions;
    default:
      return Math.min(quorum, regions);
  }
}
