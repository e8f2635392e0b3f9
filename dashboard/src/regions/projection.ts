/** Longitude and latitude, in degrees. */
export type Position = readonly [longitude: number, latitude: number];

/** Size of the map, in its own units. */
export const MAP = { width: 1000, height: 470 };

/** Latitudes beyond which nothing is drawn: no prober is there. */
const NORTH = 80;
const SOUTH = -56;

/** Natural Earth's projection (Šavrič et al. 2011), as a polynomial; calm, and fair to the higher latitudes. */
export function project([longitude, latitude]: Position): readonly [x: number, y: number] {
  const [x, y] = naturalEarth(longitude, Math.min(Math.max(latitude, SOUTH), NORTH));
  const top = naturalEarth(0, NORTH)[1];
  const bottom = naturalEarth(0, SOUTH)[1];
  const widest = naturalEarth(180, 0)[0];
  return [((x / widest + 1) / 2) * MAP.width, ((top - y) / (top - bottom)) * MAP.height];
}

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
