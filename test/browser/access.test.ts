import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordYaml } from "../e2e/support/records.ts";
import { until } from "../e2e/support/until.ts";
import { type Bed, makeBed } from "./support/bed.ts";
import { whyNoBrowser } from "./support/chromium.ts";
import { connection, row, rowState } from "./support/looked-at.ts";
import { expectSound, settled, THEMES, WIDTHS, type Width } from "./support/looks.ts";

const HOST = "shop.example.test";
const ADDRESSES = ["127.0.0.51", "127.0.0.52"];
const VIEW_TOKEN = "a-token-for-those-who-look-0123456789";
/** The browser says so of each answer that is no success. */
const REFUSED = /^console\.error: Failed to load resource: the server responded with a status of 401/;

const records = (port: number) => ({ "shop.yaml": recordYaml(HOST, port, { targets: ADDRESSES }) });

async function published(bed: Bed): Promise<void> {
  await until("the addresses to be published", async () => {
    const record = await bed.world.stack.readRecord(HOST);
    return record?.leaves.filter((leaf) => leaf.published).length === 2;
  });
}

describe.skipIf(whyNoBrowser() !== undefined)("with VIEW_TOKEN", () => {
  let bed: Bed;

  beforeAll(async () => {
    bed = await makeBed({ addresses: ADDRESSES, records, edgeSettings: { VIEW_TOKEN, PUBLIC_READS: "false" } });
    await published(bed);
  });
  afterAll(() => bed?.stop());

  test("the page asks for the token, takes none but the right one, and stays open over a reload", async () => {
    await using viewer = await bed.open({ pardons: REFUSED });
    const { page } = viewer;
    await page.goto(`/records/${HOST}`);
    const field = page.getByLabel(/token/i);
    await field.fill("not the token");
    await page.keyboard.press("Enter");
    await page.locator("[role=alert]").waitFor();
    await field.fill(VIEW_TOKEN);
    await page.keyboard.press("Enter");
    await connection(page, "live");
    await page.getByRole("heading", { name: HOST, level: 1 }).waitFor();
    await page.reload();
    await connection(page, "live");
    await page.goto("/");
    await rowState(page, HOST, "Healthy");
    await bed.world.gateways[0]?.change("status");
    await rowState(page, HOST, "Degraded");
    await bed.world.gateways[0]?.change(undefined);
    await rowState(page, HOST, "Healthy");
    const cookies = await page.context().cookies();
    expect(cookies).toMatchObject([{ httpOnly: true, secure: true, sameSite: "Strict" }]);
    expect(
      await page.evaluate(() => document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })),
    ).not.toContain(VIEW_TOKEN);
    expect(viewer.faults).toEqual([]);
  });

  test("a session that ends while a page is open asks for the token there, and leads back to it", async () => {
    await using viewer = await bed.open({ pardons: REFUSED });
    const { page } = viewer;
    await page.goto(`/records/${HOST}`);
    for (let login = 0; login < 2; login += 1) {
      await page.getByLabel(/token/i).fill(VIEW_TOKEN);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: HOST, level: 1 }).waitFor();
      await connection(page, "live");
      await page.context().clearCookies();
    }
    await page.getByLabel(/token/i).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/records/${HOST}`);
    expect(await page.locator("main").textContent()).not.toContain(ADDRESSES[0]);
    expect(viewer.faults).toEqual([]);
  });

  test("the login can be used by all", async () => {
    for (const theme of THEMES) {
      for (const width of Object.keys(WIDTHS) as Width[]) {
        await using viewer = await bed.open({ theme, width: WIDTHS[width], pardons: REFUSED });
        await viewer.page.goto("/");
        await viewer.page.getByLabel(/token/i).waitFor();
        await expectSound(viewer.page, `login-${theme}-${width}`);
        expect(viewer.faults).toEqual([]);
      }
    }
  });
});

describe.skipIf(whyNoBrowser() !== undefined)("with PUBLIC_VIEW and hidden addresses", () => {
  let bed: Bed;

  beforeAll(async () => {
    const edgeSettings = { VIEW_TOKEN, PUBLIC_READS: "false", PUBLIC_VIEW: "overview-without-addresses" };
    bed = await makeBed({ addresses: ADDRESSES, records, edgeSettings });
    await published(bed);
  });
  afterAll(() => bed?.stop());

  test("anybody sees the overview, kept up to date, and no address in anything that comes over", async () => {
    await using viewer = await bed.open({ pardons: REFUSED });
    const { page } = viewer;
    const bodies: string[] = [];
    page.on("response", async (response) => bodies.push(await response.text().catch(() => "")));
    await page.goto("/");
    await connection(page, "polling");
    await rowState(page, HOST, "Healthy");
    await bed.world.gateways[0]?.change("status");
    await rowState(page, HOST, "Degraded");
    await page.locator(row(HOST), { hasText: /address \d/ }).waitFor();
    await expectSound(page, "public-overview-light-desk");
    for (const text of [...bodies, await page.content()]) {
      for (const address of ADDRESSES) expect(text).not.toContain(address);
    }
    expect(bodies.some((body) => body.includes(`"rootHost":"${HOST}"`))).toBe(true);
    expect(viewer.faults).toEqual([]);
  });

  test("what is not for the public asks for the token", async () => {
    await using viewer = await bed.open({ pardons: REFUSED });
    const { page } = viewer;
    for (const path of [`/records/${HOST}`, "/events", "/clusters"]) {
      await page.goto(path);
      await settled(page);
      expect(await page.locator("main").textContent()).not.toContain(ADDRESSES[0]);
    }
    await page.goto("/login");
    await page.getByLabel(/token/i).fill(VIEW_TOKEN);
    await page.keyboard.press("Enter");
    await connection(page, "live");
    await page.goto("/");
    await page.locator(row(HOST), { hasText: ADDRESSES[0] ?? "" }).waitFor();
    await page.context().clearCookies();
    await connection(page, "polling");
    await bed.world.gateways[0]?.change("status");
    await rowState(page, HOST, "Degraded");
    await bed.world.gateways[0]?.change(undefined);
    await rowState(page, HOST, "Healthy");
    await page.locator(row(HOST), { hasText: /address \d/ }).waitFor();
    expect(await page.locator(row(HOST)).textContent()).not.toContain(ADDRESSES[0]);
    expect(viewer.faults).toEqual([]);
  });
});
