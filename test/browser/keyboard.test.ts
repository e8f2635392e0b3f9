import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordYaml } from "../e2e/support/records.ts";
import { until } from "../e2e/support/until.ts";
import { type Bed, makeBed } from "./support/bed.ts";
import { whyNoBrowser } from "./support/chromium.ts";
import { connection, row, rowState } from "./support/looked-at.ts";
import { settled } from "./support/looks.ts";

const HOST = "shop.example.test";
const OTHER = "blog.example.test";
const ADDRESSES = ["127.0.0.49", "127.0.0.50"];
/** More stops than any page of the tests has. */
const MOST_STOPS = 120;

interface Focused {
  /** What it is, for a person. */
  name: string;
  /** Whether it can be seen where it is: a place on the screen, and an outline or another sign of focus. */
  isShown: boolean;
  isLost: boolean;
}

/** What has the focus now. */
async function focused(page: Page): Promise<Focused> {
  return await page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return { name: "nothing", isShown: false, isLost: true };
    // A radio button is seen by its label.
    const label = (element as HTMLInputElement).labels?.[0];
    const shown = element.matches("input[type=radio]") ? (element.nextElementSibling ?? element) : element;
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(shown);
    const { width, height, bottom, right } = shown.getBoundingClientRect();
    const hasSign = (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none";
    return {
      name: (element.getAttribute("aria-label") ?? label?.textContent ?? element.textContent ?? "").trim(),
      isShown: hasSign && width > 0 && height > 0 && bottom > 0 && right > 0,
      isLost: false,
    };
  });
}

describe.skipIf(whyNoBrowser() !== undefined)("by keyboard alone", () => {
  let bed: Bed;

  beforeAll(async () => {
    bed = await makeBed({
      addresses: ADDRESSES,
      records: (port) => ({
        "shop.yaml": recordYaml(HOST, port, { targets: ADDRESSES }),
        "blog.yaml": recordYaml(OTHER, port, { targets: ADDRESSES.slice(0, 1) }),
      }),
    });
  });
  afterAll(() => bed?.stop());

  /** Tabs on until what has the focus is named so; each stop before it has to be visible. */
  async function tabTo(page: Page, name: RegExp): Promise<void> {
    const passed: string[] = [];
    for (let stop = 0; stop < MOST_STOPS; stop++) {
      await page.keyboard.press("Tab");
      const now = await focused(page);
      if (now.isLost) continue;
      passed.push(now.name);
      expect(now, `focus on "${now.name}" of ${page.url()}`).toMatchObject({ isShown: true });
      if (name.test(now.name)) return;
    }
    throw new Error(`No stop is named ${name}: ${passed.join(" | ")}`);
  }

  const isAt = (page: Page, path: string) => page.waitForURL((url) => url.pathname === path);
  const focusIsKept = async (page: Page) =>
    await until("the focus to be in the page", async () => !(await focused(page)).isLost);

  test("the first stop skips to the content", async () => {
    await using viewer = await bed.open();
    const { page } = viewer;
    await page.goto("/");
    await settled(page);
    await page.keyboard.press("Tab");
    expect(await focused(page)).toMatchObject({ name: expect.stringMatching(/^Skip to/), isShown: true });
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("MAIN");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.closest("main")?.tagName)).toBe("MAIN");
    expect(viewer.faults).toEqual([]);
  });

  test("one goes through all pages, filters, opens a record, works its charts and comes back", async () => {
    await using viewer = await bed.open();
    const { page } = viewer;
    await page.goto("/");
    await connection(page, "live");
    await rowState(page, HOST, "Healthy");
    for (const [name, path] of [
      ["Regions", "/regions"],
      ["Events", "/events"],
      ["Clusters", "/clusters"],
      ["Overview", "/"],
    ] as const) {
      await page.keyboard.press("Home");
      await tabTo(page, new RegExp(`^${name}$`));
      await page.keyboard.press("Enter");
      await isAt(page, path);
      await settled(page);
      await focusIsKept(page);
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
      await page.reload();
      await settled(page);
    }
    await page.getByRole("searchbox", { name: "Filter records" }).waitFor();
    await tabTo(page, /^Filter records$/);
    await page.keyboard.type("shop");
    await page.locator(row(OTHER)).waitFor({ state: "detached" });
    await tabTo(page, new RegExp(`^${HOST.replaceAll(".", "\\.")}`));
    await page.keyboard.press("Enter");
    await isAt(page, `/records/${HOST}`);
    await settled(page);
    await focusIsKept(page);
    await tabTo(page, /^6 hours$/);
    const history = page.waitForResponse((response) => response.url().endsWith("/history?span=7d"));
    await page.keyboard.press("ArrowRight");
    await history;
    await settled(page);
    expect(await focused(page)).toMatchObject({ name: "7 days", isShown: true });
    await page.goBack();
    await isAt(page, "/");
    await settled(page);
    await focusIsKept(page);
    expect(viewer.faults).toEqual([]);
  });

  test("every stop of every page can be seen, and none is a trap", async () => {
    await using viewer = await bed.open();
    const { page } = viewer;
    for (const path of ["/", `/records/${HOST}`, "/regions", "/events", "/clusters"]) {
      await page.goto(path);
      await settled(page);
      await page.keyboard.press("Tab");
      const first = (await focused(page)).name;
      let stops = 0;
      for (; stops < MOST_STOPS; stops++) {
        await page.keyboard.press("Tab");
        const now = await focused(page);
        // Past the last stop the focus leaves the page for the browser's own, and then comes round.
        if (now.isLost || now.name === first) break;
        expect(now, `focus on "${now.name}" of ${path}`).toMatchObject({ isShown: true });
      }
      expect(stops, `stops of ${path}`).toBeLessThan(MOST_STOPS);
      expect(stops, `stops of ${path}`).toBeGreaterThan(4);
    }
  });
});
