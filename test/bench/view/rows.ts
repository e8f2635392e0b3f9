import { launchChromium, whyNoBrowser } from "../../browser/support/chromium.ts";
import { ratios, spread } from "../rounds.ts";
import { type Measured, measure } from "./measure.ts";
import { serveView } from "./server.ts";

const FEW = 10;
const MANY = 1_000;

const WHAT: Record<keyof Measured, string> = {
  firstPaint: "first contentful paint",
  allRows: "all rows painted",
  filter: "key in the filter to paint",
};

/**
 * Compares the overview of a thousand records in nine regions with that of ten, both live in Chromium. Each measure has the
 * milliseconds of either, and their ratio. Empty, with a word on why, where there is no browser.
 */
export async function viewRows(rounds: number, say: (text: string) => void): Promise<[string, string, string, ""][]> {
  const why = whyNoBrowser();
  if (why !== undefined) {
    console.error(why);
    return [];
  }
  const few: Measured[] = [];
  const many: Measured[] = [];
  const [small, large, browser] = await Promise.all([serveView(FEW), serveView(MANY), launchChromium()]);
  try {
    for (let round = 0; round <= rounds; round++) {
      say(`the view: ${round === 0 ? "warms up" : `round ${round} of ${rounds}`}`);
      const pair = [await measure(browser, small.origin, FEW), await measure(browser, large.origin, MANY)] as const;
      if (round === 0) continue;
      few.push(pair[0]);
      many.push(pair[1]);
    }
  } finally {
    await Promise.allSettled([browser.close(), small.stop(), large.stop()]);
  }
  return (Object.keys(WHAT) as (keyof Measured)[]).flatMap((key) => {
    const [base, own] = [few, many].map((all) => all.map((one) => one[key])) as [number[], number[]];
    return [
      [`the view, ${WHAT[key]}: ${FEW} records`, spread(base), "1", ""] as [string, string, string, ""],
      [`the view, ${WHAT[key]}: ${MANY} records`, spread(own), spread(ratios(own, base)), ""] as [
        string,
        string,
        string,
        "",
      ],
    ];
  });
}
