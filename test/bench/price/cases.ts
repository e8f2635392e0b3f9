import type { REGIONS } from "../../../shared/model/region.ts";

/** How the endpoints of a fleet do: see {@link STATE_HELP}. */
export const STATES = ["healthy", "failing5", "failing", "hanging5", "flapping"] as const;
export type State = (typeof STATES)[number];

export const STATE_HELP: Record<State, string> = {
  healthy: "every endpoint answers 200",
  failing5: "5 % of the endpoints (one at least) answer 500, and have for long",
  failing: "all endpoints answer 500, and have for long",
  hanging5: "5 % of the endpoints accept and stay silent, and have for long",
  flapping: "5 % of the endpoints fail for an interval and are well for one, in turns",
};

export interface Case {
  endpoints: number;
  regions: number;
  intervalS: number;
  state: State;
}

const FLEETS = [10, 100, 1_000];
const REGION_COUNTS = [1, 3, 9];
const INTERVALS_S = [30, 10];

/** All cases: what takes longest comes last. */
export const CASES: readonly Case[] = FLEETS.flatMap((endpoints) =>
  REGION_COUNTS.flatMap((regions) =>
    INTERVALS_S.flatMap((intervalS) => STATES.map((state) => ({ endpoints, regions, intervalS, state }))),
  ),
);

export const nameOf = ({ endpoints, regions, intervalS, state }: Case): string =>
  `${endpoints} × ${regions} at ${intervalS} s, ${state}`;

/** Those of a short run: the goal's cases, and the cost of failing endpoints. */
export const isQuick = ({ endpoints, regions, intervalS, state }: Case): boolean =>
  endpoints === 100 && regions > 1 && (state === "healthy" || (regions === 3 && intervalS === 30));

/** Checks a second, from all regions. */
export const checksASecond = ({ endpoints, regions, intervalS }: Case): number => (endpoints * regions) / intervalS;

/** Spread over the world as a user would have them. */
const ORDER = [
  "weur",
  "enam",
  "apac",
  "wnam",
  "eeur",
  "oc",
  "sam",
  "afr",
  "me",
] as const satisfies (typeof REGIONS)[number][];

export const regionsOf = ({ regions }: Case): string[] => ORDER.slice(0, regions);

/** What a fleet may cost a month for each endpoint, in USD, from so many regions at so many seconds. */
export const GOALS: readonly { regions: number; intervalS: number; usd: number }[] = [
  { regions: 3, intervalS: 30, usd: 0.03 },
  { regions: 9, intervalS: 30, usd: 0.09 },
  { regions: 3, intervalS: 10, usd: 0.2 },
  { regions: 9, intervalS: 10, usd: 0.6 },
];
