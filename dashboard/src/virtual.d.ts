/** Made by build/land-path.ts. */
declare module "virtual:land" {
  /** The land of the earth as the path of an SVG, in the units of regions/projection.ts. */
  export const LAND: string;
}
