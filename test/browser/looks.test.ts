import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { recordYaml } from "../e2e/support/records.ts";
import { until } from "../e2e/support/until.ts";
import { type Bed, makeBed } from "./support/bed.ts";
import { whyNoBrowser } from "./support/chromium.ts";
import { type Cuttable, serveCuttable } from "./support/cut.ts";
import { connection } from "./support/looked-at.ts";
import { expectSound, settled, THEMES, WIDTHS, type Width } from "./support/looks.ts";
import type { Viewer } from "./support/viewer.ts";

const HOST = "shop.example.test";
const ADDRESSES = ["127.0.0.46", "127.0.0.47", "127.0.0.48"];
const LONG = `${"a-name-that-is-as-long-as-labels-may-be".padEnd(63, "x")}.${"and-another-one".padEnd(63, "y")}.example.test`;
const IPV6 = ["2001:db8:1111:2222:3333:4444:5555:6666", "2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff", "2001:db8::1"];

const PAGES = {
  overview: "/",
  record: `/records/${HOST}`,
  events: "/events",
  regions: "/regions",
  clusters: "/clusters",
};
const ALL_PAGES = Object.keys(PAGES) as (keyof typeof PAGES)[];
const LOOKS = THEMES.flatMap((theme) => (Object.keys(WIDTHS) as Width[]).map((width) => ({ theme, width })));
type Look = (typeof LOOKS)[number];
/** One with each theme and each width: what depends on both is found where all are looked at. */
const APART: readonly Look[] = [
  { theme: "light", width: "desk" },
  { theme: "dark", width: "phone" },
];

/** With a name, addresses and a tree that are as long as they may be. */
const longRecord = (port: number) =>
  stringify({
    apiVersion: "vedette.dev/v1alpha1",
    kind: "DNSRecord",
    metadata: { name: "long", namespace: "a-namespace-with-quite-a-long-name-as-they-sometimes-are" },
    spec: {
      rootHost: LONG,
      endpoints: [
        { dnsName: LONG, recordType: "CNAME", recordTTL: 60, targets: [`klb.${LONG}`] },
        { dnsName: `klb.${LONG}`, recordType: "A", recordTTL: 60, targets: ADDRESSES },
        { dnsName: `klb.${LONG}`, recordType: "AAAA", recordTTL: 60, targets: IPV6 },
      ],
      healthCheck: {
        protocol: "HTTP",
        path: "/healthz",
        port,
        interval: "5s",
        timeout: "500ms",
        failureThreshold: 0,
        successThreshold: 1,
        regions: ["wnam", "enam", "sam", "weur", "eeur", "apac", "oc", "afr", "me"],
      },
    },
  });

describe.skipIf(whyNoBrowser() !== undefined)("how the pages look", { timeout: 600_000 }, () => {
  let bed: Bed;
  let way: Cuttable;

  beforeAll(async () => {
    bed = await makeBed({ addresses: ADDRESSES, records: () => ({}) });
    way = await serveCuttable(bed.world.stack.plan.ports.edge);
  });
  afterAll(() => Promise.all([bed?.stop(), way?.stop()]));

  const writeShop = () => bed.world.write("shop.yaml", recordYaml(HOST, bed.world.gatewayPort, { targets: ADDRESSES }));

  async function lookAt(state: string, pages: Partial<typeof PAGES>, looks: readonly Look[]): Promise<void> {
    for (const look of looks) {
      await using viewer = await bed.open({ theme: look.theme, width: WIDTHS[look.width], pardons: /status of 404/ });
      for (const [name, path] of Object.entries(pages)) {
        await viewer.page.goto(path);
        await settled(viewer.page);
        await expectSound(viewer.page, `${state}-${name}-${look.theme}-${look.width}`);
      }
      expect(viewer.faults).toEqual([]);
    }
  }

  async function published(host: string, count: number): Promise<void> {
    await until(`${count} published addresses of ${host}`, async () => {
      const record = await bed.world.stack.readRecord(host);
      return record !== undefined && record.leaves.filter((leaf) => leaf.published).length === count;
    });
  }

  const only = (...names: (keyof typeof PAGES)[]) =>
    Object.fromEntries(ALL_PAGES.filter((name) => names.includes(name)).map((name) => [name, PAGES[name]]));

  test("while there is nothing yet", () => lookAt("empty", PAGES, APART));

  test("while all is well", async () => {
    writeShop();
    await published(HOST, 3);
    await lookAt("healthy", only("overview", "record", "regions"), LOOKS);
  });

  test("with one address withheld", async () => {
    writeShop();
    await bed.world.gateways[0]?.change("status");
    await published(HOST, 2);
    await lookAt("withheld", PAGES, LOOKS);
  });

  test("with names and addresses as long as they may be", async () => {
    await bed.world.gateways[0]?.change("status");
    bed.world.write("long.yaml", longRecord(bed.world.gatewayPort));
    await published(LONG, 2);
    await lookAt("long", { ...PAGES, record: `/records/${LONG}` }, APART);
  });

  test("with nothing healthy left", async () => {
    writeShop();
    await until("an address that was healthy once", async () => {
      const record = await bed.world.stack.readRecord(HOST);
      return record?.probes.some(({ provenAt }) => provenAt !== undefined);
    });
    await Promise.all(bed.world.gateways.map((gateway) => gateway.change("refuse")));
    await until("the last ones to stay", async () => {
      const record = await bed.world.stack.readRecord(HOST);
      return record?.leaves.some(({ reason }) => reason === "KeptLast");
    });
    await lookAt("failing", only("overview", "record"), APART);
  });

  test("while the connection is lost", async () => {
    const viewers: Viewer[] = [];
    for (const { theme, width } of APART) {
      const viewer = await bed.open({ origin: way.origin, theme, width: WIDTHS[width] });
      viewers.push(viewer);
      await viewer.page.goto("/");
      await connection(viewer.page, "live");
    }
    way.become("reset");
    for (const [index, { page }] of viewers.entries()) {
      const look = APART[index]!;
      await connection(page, "stale");
      await expectSound(page, `stale-overview-${look.theme}-${look.width}`);
      await page.context().close();
    }
  });

  test("before the edge has answered, and where it answers nothing", async () => {
    for (const { theme, width } of APART) {
      await using viewer = await bed.open({ theme, width: WIDTHS[width], pardons: /./ });
      const { page } = viewer;
      const held = Promise.withResolvers<void>();
      await page.route("**/v1/overview", async (route) => {
        await held.promise;
        await route.abort();
      });
      await page.goto("/");
      await page.locator("[aria-busy=true]").first().waitFor();
      await expectSound(page, `loading-overview-${theme}-${width}`);
      held.resolve();
      await page.locator("[role=alert]").first().waitFor();
      await expectSound(page, `error-overview-${theme}-${width}`);
    }
  });
});
