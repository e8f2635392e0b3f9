import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import type { ShareInput } from "../shared/model/messages/shares.ts";
import { startSwitchedGateway } from "../test/support/own-gateway.ts";
import { coordinatorOf, type Env } from "./env.ts";

const gateway = await startSwitchedGateway();
const INTERVAL_MS = 1_000;
const coordinator = coordinatorOf(env as unknown as Env, 0);

/** All have the same leaf. The requested host name distinguishes them. */
function record(index: number): ShareInput {
  const rootHost = `r${index}.example.com`;
  return {
    namespace: "shop",
    name: `r${index}`,
    spec: {
      rootHost,
      endpoints: [{ dnsName: rootHost, recordType: "A", targets: ["127.0.0.1"] }],
      healthCheck: { protocol: "HTTP", port: gateway.port, interval: "1s", timeout: "900ms", regions: ["weur"] },
    },
    published: [],
  };
}

const records = (count: number) => Array.from({ length: count }, (_, index) => record(index));
const hosts = records(50).map(({ name }) => `${name}.example.com`);
let n = 0;
const put = (shares: ShareInput[]) =>
  coordinator.putShares({ version: 1, cluster: "east", number: { epoch: 1, n: ++n }, shares });

const asked = async () => (await gateway.seen()).asked;

/** Waits until every one of the hosts was asked so often. */
const untilAsked = (names: string[], times: number) =>
  vi.waitFor(
    async () => {
      const noted = await asked();
      expect(Math.min(...names.map((name) => noted[name]?.length ?? 0))).toBeGreaterThanOrEqual(times);
    },
    { timeout: 20_000, interval: 100 },
  );

afterEach(() => put([]));

it("a record added to 50 while they are probed: none of them misses a round, loses a count or is asked twice", async () => {
  await gateway.answerWith(200);
  await coordinator.registerCluster("east");
  await put(records(50));
  await untilAsked(hosts, 4);
  await put(records(51));
  await untilAsked([...hosts, "r50.example.com"], 4);
  await untilAsked(hosts, 10);

  // Between two rounds, when all that was asked has been counted and reported.
  const noted: Record<string, number[]> = {};
  await vi.waitFor(
    async () => {
      Object.assign(noted, await asked());
      const probes = (await coordinator.listRecords()).flatMap((one) => one.probes);
      const counted = probes.map(({ id, regions }) => [id, regions[0]?.counts.successes]);
      expect(counted).toHaveLength(51);
      expect(Object.fromEntries(counted)).toEqual(
        Object.fromEntries(probes.map(({ id, record: name }) => [id, noted[hostOf(name)]?.length])),
      );
    },
    { timeout: 20_000, interval: 50 },
  );
  for (const host of hosts) {
    const times = noted[host] ?? [];
    const rounds = times.map((at) => Math.round((at - (times[0] ?? 0)) / INTERVAL_MS));
    expect(rounds, host).toEqual(times.map((_, round) => round));
  }
}, 90_000);

const hostOf = (name: string) => `${name.replace("shop/", "")}.example.com`;
