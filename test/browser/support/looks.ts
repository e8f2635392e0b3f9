import { mkdirSync } from "node:fs";
import { join } from "node:path";
import axe, { type AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

/** For people to look at; no test reads them. */
const SCREENSHOTS = join(import.meta.dirname, "../screenshots");

export const THEMES = ["light", "dark"] as const;
export const WIDTHS = { desk: 1280, phone: 360 } as const;
export type Width = keyof typeof WIDTHS;

/** Waits until a page shows what there is: its head, and nothing that is still to come. */
export async function settled(page: Page): Promise<void> {
  await page.locator("main h1").first().waitFor();
  await page.waitForFunction(
    () =>
      document.querySelector("[data-connection=connecting]") === null &&
      document.querySelector("[aria-busy=true]") === null,
  );
}

async function shoot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true, animations: "disabled" });
}

/** What axe-core finds against a page, one line for each place. */
export async function axeFindings(page: Page): Promise<string[]> {
  // Not as a script element: the page's policy allows none but its own.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(async () => {
    const { axe: own } = window as unknown as { axe: { run(): Promise<AxeResults> } };
    return await own.run();
  });
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id} (${help}): ${html}\n${failureSummary}`),
  );
}

/** What sticks out of the page to the right, so that one would have to scroll: the innermost elements, with their texts. */
export async function overflowing(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    const wide = [...document.querySelectorAll("body *")].filter(
      (element) => element.getBoundingClientRect().right > width + 0.5,
    );
    const innermost = wide.filter((element) => !wide.some((other) => other !== element && element.contains(other)));
    const lines = innermost.map((element) => `${element.tagName} ${element.className}: ${element.textContent}`);
    return lines.length > 0 ? lines : [`the page is ${document.documentElement.scrollWidth} px wide`];
  });
}

/** Makes the window as high as the page, which draws nothing of what is far below the window. */
async function unroll(page: Page): Promise<void> {
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  const width = page.viewportSize()?.width ?? WIDTHS.desk;
  await page.setViewportSize({ width, height: Math.max(height, 900) + 100 });
}

/** A page that is settled has nothing wrong for those who cannot see it well, and fits. Taken a picture of, either way. */
export async function expectSound(page: Page, name: string): Promise<void> {
  await unroll(page);
  await shoot(page, name);
  expect(await overflowing(page), `${name} overflows`).toEqual([]);
  expect(await axeFindings(page), `${name}: axe-core`).toEqual([]);
}
