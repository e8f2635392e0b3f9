/** Longitude and latitude, in degrees. */
export type Position = readonly [longitude: number, latitude: number];

/** The map begins at this meridian in the Bering Strait, so that no land is cut in two. */
const WEST = -168.4;
const MIDDLE = WEST + 180;
/** Nothing is drawn beyond these latitudes, because no prober is there. */
const NORTH = 83.7;
const SOUTH = -56;

const [WIDEST] = naturalEarth(180, 0);
const [, TOP] = naturalEarth(0, NORTH);
const [, BOTTOM] = naturalEarth(0, SOUTH);

/** Size of the map, in its own units. */
export const MAP = { width: 1000, height: Math.round((1000 * (TOP - BOTTOM)) / (2 * WIDEST)) };

/** Projects a position to the map, from its upper left corner. */
export function project([longitude, latitude]: Position): readonly [x: number, y: number] {
  const east = longitude < WEST ? longitude + 360 : longitude;
  const [x, y] = naturalEarth(east - MIDDLE, Math.min(Math.max(latitude, SOUTH), NORTH));
  return [((x / WIDEST + 1) / 2) * MAP.width, ((TOP - y) / (TOP - BOTTOM)) * MAP.height];
}

/** The Natural Earth projection (Šavrič et al. 2011), in its polynomial form. */
function naturalEarth(longitude: number, latitude: number): readonly [x: number, y: number] {
  const lambda = (longitude * Math.PI) / 180;
  const phi = (latitude * Math.PI) / 180;
  const square = phi * phi;
  const fourth = square * square;
  return [
    lambda * (0.8707 - 0.131979 * square + fourth * (-0.013791 + fourth * (0.003971 * square - 0.001529 * fourth))),
    phi * (1.007226 + square * (0.015085 + fourth * (-0.044475 + 0.028874 * square - 0.005916 * fourth))),
  ];
}
