/** `assumed`: as the design assumes; `otherwise`: different; `unknown`: the measurement could not tell. */
export type Verdict = "assumed" | "otherwise" | "unknown";

/** The result of one measurement, compared with the assumption of the design. */
export interface Finding {
  verdict: Verdict;
  found: string;
  /** What to change or to measure again; absent if nothing. */
  advice?: string;
}

export const assumed = (found: string): Finding => ({ verdict: "assumed", found });
export const otherwise = (found: string, advice: string): Finding => ({ verdict: "otherwise", found, advice });
export const unknown = (found: string, advice: string): Finding => ({ verdict: "unknown", found, advice });

export const notBlackHole = (found: string): Finding =>
  unknown(found, "The target is not a black hole. Set an address and port that never answer with --black-hole.");

/** A target that should have accepted a dial refused it or did not answer. */
export const notAccepting = (outcome: unknown, took: unknown): Finding =>
  unknown(
    took === undefined ? `${outcome}` : `${outcome}, ${ms(took)}`,
    "Set a target that accepts connections with --open.",
  );

/** Milliseconds as text; `?` if absent. */
export const ms = (value: unknown): string => (typeof value === "number" ? `${value} ms` : "?");
/** The number, or NaN, which makes every comparison false. */
export const num = (value: unknown): number => (typeof value === "number" ? value : Number.NaN);
