import { feature } from "topojson-client";
import type { Plugin } from "vite";
import atlas from "world-atlas/land-110m.json" with { type: "json" };
import { type Position, project } from "../src/regions/projection.ts";

const ID = "virtual:land";

/** Provides `virtual:land`: the land of the earth as one SVG path, drawn at build time. */
export function landPath(): Plugin {
  return {
    name: "land-path",
    resolveId: (id) => (id === ID ? `\0${ID}` : undefined),
    load: (id) => (id === `\0${ID}` ? `export const LAND = ${JSON.stringify(drawLand())};` : undefined),
  };
}

/** Rings smaller than this, in units of the map, are left out: they would be specks. */
const SMALLEST = 3;
/** Land that ends south of this is Antarctica, which the map does not show. */
const SOUTH = -60;

function drawLand(): string {
  const topology = atlas as unknown as Parameters<typeof feature>[0];
  const land = feature(topology, topology.objects.land as never) as unknown as {
    features: { geometry: { coordinates: Position[][][] } }[];
  };
  const rings = land.features.flatMap(({ geometry }) => geometry.coordinates.flat());
  return rings
    .filter((ring) => ring.some(([, latitude]) => latitude > SOUTH))
    .map(drawRing)
    .join("");
}

function drawRing(ring: readonly Position[]): string {
  const points = ring.map(project).map(([x, y]) => [Math.round(x * 2) / 2, Math.round(y * 2) / 2] as const);
  const distinct = points.filter(([x, y], index) => x !== points[index - 1]?.[0] || y !== points[index - 1]?.[1]);
  const xs = distinct.map(([x]) => x);
  if (distinct.length < 4 || Math.max(...xs) - Math.min(...xs) < SMALLEST) return "";
  return `M${distinct.map(([x, y]) => `${x},${y}`).join("L")}Z`;
}
