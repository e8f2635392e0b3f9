import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { recordYaml } from "../e2e/support/records.ts";
import { until } from "../e2e/support/until.ts";
import { type Bed, makeBed } from "./support/bed.ts";
import { whyNoBrowser } from "./support/chromium.ts";
import { type Cuttable, serveCuttable, type Way } from "./support/cut.ts";
import { connection, rowState, shownEvents } from "./support/looked-at.ts";

const HOST = "shop.example.test";
const ADDRESSES = ["127.0.0.44", "127.0.0.45"];
/** The browser itself says so of a connection that is lost. */
const LOST = /^console\.error: (WebSocket connection to|Failed to load resource)/;

describe.skipIf(whyNoBrowser() !== undefined)("a page whose connection is cut", () => {
  let bed: Bed;
  let way: Cuttable;

  beforeAll(async () => {
    bed = await makeBed({
      addresses: ADDRESSES,
      records: (port) => ({ "shop.yaml": recordYaml(HOST, port, { targets: ADDRESSES }) }),
    });
    way = await serveCuttable(bed.world.stack.plan.ports.edge);
  });
  afterAll(() => Promise.all([bed?.stop(), way?.stop()]));
  afterEach(() => way.become("open"));

  /** Waits until the page says that its data is ten seconds old. */
  async function staleForTenSeconds(page: Page): Promise<void> {
    await connection(page, "stale");
    await until("ten seconds of staleness", async () => {
      const text = await page.locator("[role=status][data-connection=stale]").textContent();
      const [, seconds, minutes] = /last word (?:(\d+) s|(\d+) min)/.exec(text ?? "") ?? [];
      return minutes !== undefined || Number(seconds) >= 10;
    });
  }

  /** Brings about events: each change of the gateway is a change of verdict, and one of the decision. */
  async function breakAndMend(): Promise<void> {
    for (const [breakage, leaves] of [
      ["status", 1],
      [undefined, 2],
    ] as const) {
      await bed.world.gateways[1]?.change(breakage);
      await until("the decision", async () => {
        const record = await bed.world.stack.readRecord(HOST);
        return record?.leaves.filter(({ published }) => published).length === leaves;
      });
    }
  }

  async function isWhole(page: Page): Promise<void> {
    let shown: string[] = [];
    let logged: string[] = [];
    await until(
      "the timeline of the page to be that of the log",
      async () => {
        logged = (await bed.events()).map(({ partition, id }) => `${partition}-${id}`);
        shown = await shownEvents(page);
        return [...shown].sort().join() === [...logged].sort().join();
      },
      undefined,
      () => ({ missing: logged.filter((id) => !shown.includes(id)), shown: shown.length, logged: logged.length }),
    );
    expect(new Set(shown).size).toBe(shown.length);
  }

  test.each<Exclude<Way, "open">>(["reset", "black hole"])(
    "%s: says that it is stale, then catches up with nothing missing from the timeline and nothing double",
    async (cut) => {
      await using viewer = await bed.open({ origin: way.origin, pardons: LOST });
      await using overview = await bed.open({ origin: way.origin, pardons: LOST });
      await viewer.page.goto("/events");
      await overview.page.goto("/");
      for (const { page } of [viewer, overview]) await connection(page, "live");
      await rowState(overview.page, HOST, "Healthy");
      await isWhole(viewer.page);
      way.become(cut);
      await breakAndMend();
      await bed.world.gateways[1]?.change("status");
      await staleForTenSeconds(viewer.page);
      await connection(overview.page, "stale");
      way.become("open");
      for (const { page } of [viewer, overview]) await connection(page, "live");
      await rowState(overview.page, HOST, "Degraded");
      await isWhole(viewer.page);
      await bed.world.gateways[1]?.change(undefined);
      await rowState(overview.page, HOST, "Healthy");
      await isWhole(viewer.page);
      expect([...viewer.faults, ...overview.faults]).toEqual([]);
    },
  );

  test("goes on to pages that were not opened before, and fills them by itself once it is back", async () => {
    await using viewer = await bed.open({ origin: way.origin, pardons: LOST });
    const { page } = viewer;
    await page.goto("/");
    await connection(page, "live");
    const asked = () => performance.getEntriesByType("resource").map(({ name }) => name);
    await until("the other pages to be loaded", async () =>
      (await page.evaluate(asked)).some((name) => /\/assets\/panel-.*\.js$/.test(name)),
    );
    way.become("reset");
    await connection(page, "stale");
    await page.getByRole("main").getByRole("link", { name: HOST }).first().click();
    await page.getByRole("heading", { name: HOST, level: 1 }).waitFor();
    await page.getByText("The record cannot be read").waitFor();
    await page.getByRole("link", { name: "Events", exact: true }).click();
    await page.getByText("Events cannot be read at the moment").waitFor();
    way.become("open");
    await connection(page, "live");
    await isWhole(page);
    await page.getByText("Events cannot be read at the moment").waitFor({ state: "detached" });
    expect(viewer.faults).toEqual([]);
  });

  test("whose script does not come through says so, and what to do", async () => {
    await using viewer = await bed.open({ pardons: /Failed to load resource/ });
    const { page } = viewer;
    await page.route("**/assets/*.js", (route) => route.fulfill({ status: 404, body: "" }));
    await page.goto("/");
    await page.getByRole("alert").getByText("The page could not be loaded").waitFor();
    await page.unroute("**/assets/*.js");
    await page.getByRole("link", { name: "Load it again" }).click();
    await connection(page, "live");
    expect(viewer.faults).toEqual([]);
  });

  test("an edge that restarts: says that it is stale, then goes on where it was", async () => {
    await using viewer = await bed.open({ pardons: LOST });
    await viewer.page.goto("/events");
    await connection(viewer.page, "live");
    await isWhole(viewer.page);
    await bed.world.stack.stopEdge();
    await connection(viewer.page, "stale");
    await bed.world.stack.startEdge();
    await connection(viewer.page, "live");
    await breakAndMend();
    await isWhole(viewer.page);
    expect(viewer.faults).toEqual([]);
  });
});
