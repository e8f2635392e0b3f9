import type { Browser, Page } from "playwright-core";

/** Milliseconds in the page, by its own clock. */
export interface Measured {
  /** From the navigation to the first contentful paint. */
  firstPaint: number;
  /** From the navigation until the frame with the last row was painted. */
  allRows: number;
  /** From a key in the filter until the frame with what is left was painted: medians over the keys of a run. */
  filter: number;
}

/** Keys of a run: each narrows the list to those with a "g" in their names, or widens it to all again. */
const STROKES = 10;

/** Loads the overview once, in a context of its own without a cache, and filters it. */
export async function measure(browser: Browser, origin: string, records: number): Promise<Measured> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  try {
    const page = await context.newPage();
    await page.addInitScript(watchRows, "[data-host]");
    await page.goto(origin);
    await page.locator("[data-connection=live]").waitFor({ state: "attached" });
    const allRows = await page.evaluate(rowsPainted, records);
    const firstPaint = await page.evaluate(
      () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
    );
    return { firstPaint, allRows, filter: await filtering(page) };
  } finally {
    await context.close();
  }
}

async function filtering(page: Page): Promise<number> {
  await page.getByRole("searchbox", { name: "Filter records" }).focus();
  const took: number[] = [];
  for (let stroke = 0; stroke < STROKES; stroke++) {
    await page.evaluate(awaitStroke);
    await page.keyboard.press(stroke % 2 === 0 ? "g" : "Backspace");
    took.push(await page.evaluate(() => (window as unknown as Watched).stroke));
  }
  return took.sort((a, b) => a - b)[STROKES >> 1] ?? Number.NaN;
}

interface Watched {
  /** How many rows there were after each change of their number, and when that was painted. */
  rows: { count: number; at: number }[];
  /** How long the next key takes to be painted, rows and all. */
  stroke: Promise<number>;
}

/** In the page: notes each change of the number of rows with the time of its paint. */
function watchRows(selector: string): void {
  const own = window as unknown as Watched;
  own.rows = [];
  const paint = new MessageChannel();
  const look = () => {
    const count = document.querySelectorAll(selector).length;
    if (count === (own.rows.at(-1)?.count ?? 0)) return;
    const noted = { count, at: Number.NaN };
    own.rows.push(noted);
    // A task that is posted in the frame's own callback runs once that frame was painted.
    requestAnimationFrame(() => {
      paint.port1.addEventListener("message", () => (noted.at = performance.now()), { once: true });
      paint.port1.start();
      paint.port2.postMessage(undefined);
    });
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true });
}

async function rowsPainted(count: number): Promise<number> {
  for (;;) {
    const found = (window as unknown as Watched).rows.find((one) => one.count === count);
    if (found !== undefined && !Number.isNaN(found.at)) return found.at;
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}

function awaitStroke(): void {
  const own = window as unknown as Watched;
  const known = own.rows.length;
  own.stroke = new Promise((resolve) => {
    addEventListener(
      "keydown",
      async (event) => {
        for (;;) {
          const next = own.rows.slice(known).find(({ at }) => !Number.isNaN(at));
          if (next !== undefined) return resolve(next.at - event.timeStamp);
          await new Promise((again) => requestAnimationFrame(again));
        }
      },
      { once: true, capture: true },
    );
  });
}
