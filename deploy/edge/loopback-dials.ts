import type { Figures } from "../../shared/model/self-test.ts";
import { assumed, type Finding, notAccepting, notBlackHole, otherwise, unknown } from "./finding.ts";

const LOOPBACKS = [1, 2, 3, 4];
/** What was measured of the numbers that DIALS_TOGETHER may have. */
const DIALS = [5, 3, 1] as const;
/** A prober's slots allow so many loopbacks with several dials at a time: fewer say nothing of it. */
const LEAST_LOOPBACKS = 3;

/** Of `npm run bench:price`, 100 endpoints in 3 regions each 30 s: docs/cost.md. */
const SAVING = "a fifth of the cost: $0.0255 instead of $0.0321 an endpoint and month, of 100 in 3 regions each 30 s";

/** Whether the setting DIALS_TOGETHER is what the platform allows. */
export const loopbackDials = {
  expected: "DIALS_TOGETHER is as many as open at once in each loopback, or 1",
  judge: (figures: Figures): Finding => {
    const { aloneOutcome, own, dialsTogether } = figures;
    if (aloneOutcome !== undefined) return notAccepting(aloneOutcome, undefined);
    if (figures["1x1"] === undefined) return notBlackHole("the object's own dials did not hang for long enough");
    if (own === "opened") {
      return unknown(
        "no limit to be seen: beside six that hang a seventh of the object's own opens at once",
        "On one's own machine that is so, and says nothing. On Cloudflare the limit of six would be gone: DIALS_TOGETHER=5 then, if it is so at the next run too.",
      );
    }
    const found = inWords(figures);
    const right = DIALS.find((dials) => openAtOnce(figures, dials)) ?? 1;
    if (dialsTogether === right) return assumed(`${found}; DIALS_TOGETHER=${right} is right`);
    return otherwise(found, adviceOf(right, Number(dialsTogether)));
  },
};

/** All loopbacks with so many dials each, as far as tried, were connected at once. */
function openAtOnce(figures: Figures, dials: number): boolean {
  const tried = LOOPBACKS.map((loopbacks) => figures[`${dials}x${loopbacks}`]).filter((seen) => seen !== undefined);
  return tried.length >= LEAST_LOOPBACKS && tried.every((seen) => typeof seen === "number");
}

function inWords(figures: Figures): string {
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
      ? "counted with the object's six: beside six that hang a loopback's dial waits"
      : `not to be had beside six of the object's own: ${first.seen}`;
  }
  return `counted apart from the object's own, but not without limit: ${first.dials} dials in each of ${first.loopbacks}: ${first.seen}`;
}

function adviceOf(right: number, set: number): string {
  if (set > right) {
    return `Set DIALS_TOGETHER=${right} and deploy: with ${set} dials wait for one another, and healthy addresses look like timeouts.`;
  }
  const saving = right === 5 ? `It saves ${SAVING}.` : "Rounds are over sooner, which is what they cost.";
  return `Set DIALS_TOGETHER=${right} under [vars] in wrangler.toml and deploy. ${saving}`;
}
