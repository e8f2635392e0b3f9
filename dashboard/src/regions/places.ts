import type { Region } from "../../../shared/model/region.ts";
import type { Position } from "./projection.ts";

/** A region's position, its name, and the side of the mark with space for the label. */
export interface Place {
  name: string;
  at: Position;
  label: "above" | "below" | "left" | "right";
}

/** From west to east, as the columns of the overview. */
export const PLACES: Readonly<Record<Region, Place>> = {
  wnam: { name: "Western North America", at: [-119, 40], label: "left" },
  enam: { name: "Eastern North America", at: [-79, 40], label: "below" },
  sam: { name: "South America", at: [-50, -18], label: "right" },
  weur: { name: "Western Europe", at: [1, 48], label: "left" },
  eeur: { name: "Eastern Europe", at: [25, 50], label: "right" },
  afr: { name: "Africa", at: [25, -14], label: "below" },
  me: { name: "Middle East", at: [48, 25], label: "right" },
  apac: { name: "Asia-Pacific", at: [103, 29], label: "below" },
  "apac-se": { name: "Southeast Asia", at: [106, 3], label: "below" },
  "apac-ne": { name: "Northeast Asia", at: [137, 37], label: "above" },
  oc: { name: "Oceania", at: [146, -29], label: "below" },
};

const ORDER = Object.keys(PLACES) as Region[];

/** Regions from west to east. */
export function westToEast<Item extends { region: Region }>(items: readonly Item[]): Item[] {
  return [...items].sort((a, b) => ORDER.indexOf(a.region) - ORDER.indexOf(b.region));
}
