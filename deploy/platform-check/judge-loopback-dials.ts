import { assumed, type Finding, notAccepting, notBlackHole, otherwise, unknown } from "./finding.ts";
import type { Figures } from "./protocol.ts";

const LOOPBACKS = [1, 2, 3, 4];
/** The measured values of DIALS_TOGETHER. */
const DIALS = [5, 3, 1] as const;
/** A prober's slots allow this many loopbacks with several dials at a time. Fewer prove nothing. */
const LEAST_LOOPBACKS = 3;

/** Measured by `npm run bench:price`: docs/cost.md. */
const SAVING = "a fifth of the cost: $0.0255 instead of $0.0321 an endpoint and month, of 100 in 3 regions each 30 s";

/** Judges whether DIALS_TOGETHER is what the platform allows. `dialsTogether` is the value that is set. */
export const loopbackDials = {
  expected: "DIALS_TOGETHER is the number of dials that open at once in each loopback, or 1",
  judge: (figures: Figures, dialsTogether: number): Finding => {
    const { aloneOutcome, own } = figures;
    if (aloneOutcome !== undefined) return notAccepting(aloneOutcome, undefined);
    if (figures["1x1"] === undefined) return notBlackHole("the object's own dials did not hang for long enough");
    if (own === "opened") {
      return unknown(
        "no limit is visible: the object's own seventh dial opens at once beside six hanging dials",
        "A local machine has no limit, so this proves nothing there. On Cloudflare the limit of six would be gone: set DIALS_TOGETHER=5 if the next run finds the same.",
      );
    }
    const found = describe(figures);
    const right = DIALS.find((dials) => openAtOnce(figures, dials)) ?? 1;
    if (dialsTogether === right) return assumed(`${found}; DIALS_TOGETHER=${right} is right`);
    return otherwise(found, adviceOf(right, dialsTogether));
  },
};

/** All loopbacks that were tried with this many dials each were connected at once. */
function openAtOnce(figures: Figures, dials: number): boolean {
  const tried = LOOPBACKS.map((loopbacks) => figures[`${dials}x${loopbacks}`]).filter((seen) => seen !== undefined);
  return tried.length >= LEAST_LOOPBACKS && tried.every((seen) => typeof seen === "number");
}

function describe(figures: Figures): string {
  const cases = LOOPBACKS.flatMap((loopbacks) =>
    [...DIALS].reverse().map((dials) => ({ loopbacks, dials, seen: figures[`${dials}x${loopbacks}`] })),
  ).filter(({ seen }) => seen !== undefined);
  const closed = cases.filter(({ seen }) => typeof seen === "string");
  const [first] = closed;
  if (first === undefined) {
    const slowest = Math.max(...cases.map(({ seen }) => Number(seen)));
    const { loopbacks, dials } = cases.at(-1) ?? { loopbacks: 0, dials: 0 };
    return `counted apart: up to ${dials} dials in each of ${loopbacks} loopbacks open at once, the last after ${slowest} ms`;
  }
  if (closed.length === cases.length) {
    return first.seen === "waited"
      ? "counted with the object's six: a loopback's dial waits beside six hanging dials"
      : `refused beside six of the object's own: ${first.seen}`;
  }
  return `counted apart from the object's own, with a limit: ${first.dials} dials in each of ${first.loopbacks}: ${first.seen}`;
}

function adviceOf(right: number, set: number): string {
  if (set > right) {
    return `Set DIALS_TOGETHER=${right} and deploy. With ${set}, dials wait for one another and healthy addresses time out.`;
  }
  const saving = right === 5 ? `It saves ${SAVING}.` : "Rounds end sooner, which lowers their cost.";
  return `Set DIALS_TOGETHER=${right} under [vars] in wrangler.toml and deploy. ${saving}`;
}
