import { type HistorySpan, SPANS } from "../../../shared/model/history.ts";

/** How finely history is kept, and for how long. A block is one row, with the steps of all probes of the shard. */
export interface Resolution {
  stepMs: number;
  keepMs: number;
  blockMs: number;
}

const levelOf = (span: HistorySpan, blockMs: number): Resolution => {
  const { spanMs, stepMs } = SPANS[span];
  return { stepMs, keepMs: spanMs, blockMs };
};

/** The finest first. A block of a level is a step of the next, or several. */
export const RESOLUTIONS = [
  levelOf("6h", SPANS["7d"].stepMs),
  levelOf("7d", SPANS["90d"].stepMs),
  levelOf("90d", 86_400_000),
] as const;

export const MINUTES = RESOLUTIONS[0];

/** The place of a level in `LEVELS`, by which it is stored. */
export type ResolutionNumber = 0 | 1 | 2;

/** The level that answers for a span. */
export const RESOLUTION_OF_SPAN: Record<HistorySpan, ResolutionNumber> = { "6h": 0, "7d": 1, "90d": 2 };
