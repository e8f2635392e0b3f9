import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordYaml } from "../e2e/support/records.ts";
import { until } from "../e2e/support/until.ts";
import { type Bed, makeBed } from "./support/bed.ts";
import { whyNoBrowser } from "./support/chromium.ts";
import { connection, row } from "./support/looked-at.ts";

const HOST = "shop.example.test";
const ADDRESSES = ["127.0.0.51", "127.0.0.52"];
const DAY_MS = 86_400_000;

describe.skipIf(whyNoBrowser() !== undefined)("a page under odd circumstances", () => {
  let bed: Bed;

  beforeAll(async () => {
    bed = await makeBed({
      addresses: ADDRESSES,
      records: (port) => ({ "shop.yaml": recordYaml(HOST, port, { targets: ADDRESSES }) }),
    });
    await bed.world.gateways[1]?.change("status");
    await until("one address to be withheld", async () => {
      const record = await bed.world.stack.readRecord(HOST);
      return record?.leaves.filter(({ published }) => published).length === 1;
    });
  });
  afterAll(() => bed?.stop());

  test.each([
    ["/", "text/html", "<!doctype html>Sign in", "What answers is not the edge"],
    ["/events", "text/html", "<!doctype html>Sign in", "What answers is not the edge"],
    ["/", "application/json", "{}", "not what this page knows"],
    ["/events", "application/json", "{}", "not what this page knows"],
    [`/records/${HOST}`, "application/json", "{}", "not what this page knows"],
  ])("says in words at %s that it was answered %s %s", async (path, contentType, body, words) => {
    await using viewer = await bed.open({ pardons: /WebSocket|Failed to load/ });
    const { page } = viewer;
    await page.route("**/v1/**", (route) => route.fulfill({ status: 200, contentType, body }));
    await page.goto(path);
    await page.locator("[role=alert]", { hasText: words }).first().waitFor();
    expect(await page.locator("main h1").count()).toBeGreaterThan(0);
    expect(viewer.faults).toEqual([]);
  });

  test("counts by the edge's clock where the viewer's is a day behind", async () => {
    await using viewer = await bed.open();
    const { page } = viewer;
    await page.addInitScript((offMs) => {
      const { now } = Date;
      Date.now = () => now() - offMs;
    }, DAY_MS);
    await page.goto("/");
    await connection(page, "live");
    const since = await page
      .locator(`${row(HOST)} .leaf-since`)
      .first()
      .textContent();
    // Neither a day beside the time, nor "0 s" for what is to come.
    expect(since).toMatch(/^since \d\d:\d\d:\d\d \(\d+ (s|min)\)$/);
  });
});
