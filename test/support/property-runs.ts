import { inject } from "vitest";

declare module "vitest" {
  export interface ProvidedContext {
    /** Whether property tests make all their runs. */
    allPropertyRuns: boolean;
  }
}

const FEWEST = 10;

/** The number of runs for a property test: all of them with `VEDETTE_ALL_PROPERTIES=1`, as in CI; otherwise a tenth, but at least 10. */
export function propertyRuns(all: number): number {
  return inject("allPropertyRuns") ? all : Math.min(all, Math.max(FEWEST, Math.ceil(all / 10)));
}
