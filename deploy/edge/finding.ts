/** `assumed`: as the design takes it to be; `otherwise`: not so; `unknown`: the measurement could not tell. */
export type Verdict = "assumed" | "otherwise" | "unknown";

/** What one measurement says of an assumption of the design. */
export interface Finding {
  verdict: Verdict;
  found: string;
  /** What to change, or to measure again; absent where nothing is. */
  advice?: string;
}

export const assumed = (found: string): Finding => ({ verdict: "assumed", found });
export const otherwise = (found: string, advice: string): Finding => ({ verdict: "otherwise", found, advice });
export const unknown = (found: string, advice: string): Finding => ({ verdict: "unknown", found, advice });

export const notBlackHole = (found: string): Finding =>
  unknown(found, "That is no black hole. Give an address and port that never answer with --black-hole.");

/** What should have accepted a dial, and did not. */
export const notAccepting = (outcome: unknown, took: unknown): Finding =>
  unknown(
    took === undefined ? `${outcome}` : `${outcome}, ${ms(took)}`,
    "Give something that accepts connections with --open.",
  );

/** Milliseconds for people; a question mark where there are none. */
export const ms = (value: unknown): string => (typeof value === "number" ? `${value} ms` : "?");
/** The number, or one that is neither more nor less than any other. */
export const num = (value: unknown): number => (typeof value === "number" ? value : Number.NaN);
