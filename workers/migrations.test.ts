import { evictDurableObject, reset, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type MessageNumber, messageNumber } from "../shared/model/number.ts";
import type { Region } from "../shared/model/region.ts";
import { type UsageSince, usageOfDays } from "../shared/model/usage.ts";
import { signatureHeaders } from "../shared/signature.ts";
import { MIGRATIONS as CLUSTER } from "./cluster/store.ts";
import { MIGRATIONS as COORDINATOR } from "./coordinator/store/migrations.ts";
import { clusterOf, coordinatorOf, type Env, proberOf } from "./env.ts";
import { MIGRATIONS as NOTIFIER, NotifierStore } from "./notifier/notifier-store.ts";
import { MIGRATIONS as PROBER, ShardStore } from "./prober/shard/shard-store.ts";

/*
 * Databases that earlier releases wrote, and the statements that they ran: test/fixtures/storage/README.md. A roll-back takes no
 * storage back, so that the old statements have to run on the tables of today.
 */

const bindings = env as unknown as Env;
const MIGRATIONS = { prober: PROBER, coordinator: COORDINATOR, cluster: CLUSTER, notifier: NOTIFIER } as const;
type Kind = keyof typeof MIGRATIONS;

/** Of each migration that was released, in order. */
const RELEASED: Record<Kind, readonly string[]> = {
  prober: ["c08358d0a678def4", "0d9a953cf1f74889", "7fb14286f2474577"],
  coordinator: ["09f6be623db1aa73"],
  cluster: ["38a4bb3c2b4a5715"],
  notifier: ["00404b523af3c651"],
};

const dumps = import.meta.glob<string>("../test/fixtures/storage/*/*.sql", {
  query: "?raw",
  import: "default",
  eager: true,
});
const statements = import.meta.glob<Partial<Record<Kind, [sql: string, values: (string | number | null)[]][]>>>(
  "../test/fixtures/storage/*/statements.json",
  { import: "default", eager: true },
);
const RELEASES = Object.keys(statements).map((path) => path.split("/").at(-2) ?? "");
const BOTH = RELEASES.flatMap((release) =>
  Object.keys(ofRelease(release)).map((kind) => [release, kind as Kind] as const),
);

function ofRelease(release: string) {
  return statements[`../test/fixtures/storage/${release}/statements.json`] ?? {};
}

const HOST = "way.example.com";
const [A, B] = ["127.0.0.1", "127.0.0.2"];
const PROBE = `fixture/shop/way/${A}`;
const SECRET = `whsec_${btoa("a fixture, and nobody's secret!!")}`;

const STUBS: Record<Kind, () => DurableObjectStub> = {
  prober: () => bindings.PROBER.getByName("weur/0/1800000/0"),
  coordinator: () => bindings.COORDINATOR.getByName("0"),
  cluster: () => bindings.CLUSTER.getByName("fixture"),
  notifier: () => bindings.NOTIFIER.getByName("notifier"),
};

const within = <Value>(kind: Kind, work: (storage: DurableObjectStorage) => Value): Promise<Value> =>
  runInDurableObject(STUBS[kind](), (_, { storage }) => work(storage));

/** The object with the database of then, and without memory of anything else. */
async function load(release: string, kind: Kind): Promise<void> {
  const dump = dumps[`../test/fixtures/storage/${release}/${kind}.sql`];
  if (dump === undefined) throw new Error(`${release} has no ${kind}.sql`);
  await within(kind, ({ sql }) => sql.exec(dump).toArray());
  await evictDurableObject(STUBS[kind]());
}

/** What has to be there, asked of the object itself, which thereby migrates. */
const LOOK: Record<Kind, () => Promise<unknown>> = {
  async prober() {
    await proberOf(bindings, "weur/0/1800000/0", "weur").history({ span: "6h", stepMs: 60_000, probes: [PROBE] });
    return within("prober", (storage) => {
      const held = new ShardStore(storage).read();
      const counts = held?.marks.get(PROBE)?.counts;
      return { region: held?.shard.region, probes: held?.probes.map(({ id }) => id), counts };
    });
  },
  async coordinator() {
    const coordinator = coordinatorOf(bindings, 0);
    const record = (await coordinator.listRecords()).find(({ rootHost }) => rootHost === HOST);
    const leaves = record?.leaves.map(({ leaf, published, reason }) => [leaf, published, reason]);
    const { verdict, provenAt } = (await coordinator.readProbe(PROBE)) ?? {};
    const types = new Set((await coordinator.listEvents(0)).map(({ type }) => type));
    return { clusters: await coordinator.listClusters(), leaves, verdict, wasProven: provenAt !== undefined, types };
  },
  async cluster() {
    const path = "/v1/clusters/fixture/delivery?after=0.0";
    const headers = signatureHeaders(SECRET, "pull_1", path, Date.now());
    const pulled = await clusterOf(bindings, "fixture").pull({
      webhookId: headers["webhook-id"],
      webhookTimestamp: headers["webhook-timestamp"],
      webhookSignature: headers["webhook-signature"],
      body: path,
      after: { epoch: 0, n: 0 },
    });
    const delivery = pulled.ok ? pulled.delivery : undefined;
    const { clusterUid, records, decided, acknowledged } = (await clusterOf(bindings, "fixture").describe()) ?? {};
    const targets = delivery?.kind === "Full" ? delivery.records[0]?.endpoints[0]?.targets : undefined;
    return { clusterUid, records, isBehind: decided !== acknowledged, targets };
  },
  async notifier() {
    // Asked itself, it would forget a target that no setting names.
    return within("notifier", (storage) => {
      const store = NotifierStore.open(storage);
      return {
        targets: store?.targets(),
        told: [...(store?.incidents("ops").keys() ?? [])],
        waiting: store?.waiting("ops"),
      };
    });
  },
};

const KEPT: Record<Kind, unknown> = {
  prober: {
    region: "enam",
    probes: [PROBE, `fixture/shop/way/${B}`],
    counts: { failures: 2, successes: 0, says: "Unhealthy" },
  },
  coordinator: {
    clusters: ["fixture"],
    leaves: [
      [A, false, "UnhealthyWithheld"],
      [B, true, "Healthy"],
    ],
    verdict: "Unhealthy",
    wasProven: true,
    types: expect.toSatisfy((types: Set<string>) => types.has("VerdictChanged")),
  },
  cluster: { clusterUid: "uid-1", records: 1, isBehind: false, targets: [B] },
  notifier: { targets: ["ops"], told: [`record/${HOST}`], waiting: 1 },
};

afterEach(() => reset());

describe.each(BOTH)("the database of %s: %s", (release, kind) => {
  it("is brought forward, and nothing in it is lost", async () => {
    await load(release, kind);
    expect(await LOOK[kind]()).toEqual(KEPT[kind]);
    const version = await within(kind, ({ sql }) => sql.exec("SELECT version FROM schema_version").one());
    expect(version).toEqual({ version: MIGRATIONS[kind].length });
  });

  it("takes the statements of then on the tables of now, and is read again after them", async () => {
    await load(release, kind);
    await LOOK[kind]();
    const failed = await within(kind, ({ sql }) =>
      (ofRelease(release)[kind] ?? []).flatMap(([statement, values]) => {
        try {
          sql.exec(statement, ...values).toArray();
          return [];
        } catch (error) {
          return [`${statement}: ${error}`];
        }
      }),
    );
    expect(
      failed,
      "statements of an older release that the newest tables refuse: a roll-back would stop there",
    ).toEqual([]);
    await evictDurableObject(STUBS[kind]());
    await expect(LOOK[kind]()).resolves.toBeDefined();
  });
});

/** What earlier releases read of a row of what was seen; of what else is in it they know nothing, and write it without. */
const seenThen = z.object({ number: messageNumber, roundAt: z.int(), lagging: z.record(z.string(), z.int()) });
const rowThen = z.object({ at: z.int(), shards: z.record(z.string(), seenThen) });
const SEEN_ROWS_THEN = {
  "before-history": rowThen,
  "before-bursts": rowThen,
  "before-forgotten": rowThen.extend({ usage: usageOfDays.optional().catch(undefined) }),
};

it.each(Object.entries(SEEN_ROWS_THEN))(
  "what was seen is read by the code of %s, and what that wrote is counted on once it is gone again",
  async (release, row) => {
    await load(release, "coordinator");
    const coordinator = coordinatorOf(bindings, 0);
    const usage: UsageSince = { requests: 1, rowsRead: 4, rowsWritten: 1, awakeMs: 700 };
    const report = async (region: Region) => {
      const at = Date.now();
      const shard = { partition: 0, intervalMs: 1_800_000, n: 0, region, regions: [region] };
      const [number, assignment] = [at, 1].map((n) => ({ epoch: n, n })) as [MessageNumber, MessageNumber];
      await coordinator.report({ version: 1, shard, number, assignment, roundAt: at, lateMs: 0, probes: [], usage });
    };
    const requestsOf = async (region: Region) => (await coordinator.usage())?.days.today.probers[region]?.requests;
    await report("enam");
    await report("weur");
    const before = (await within("coordinator", ({ sql }) => sql.exec("SELECT key, value FROM seen").toArray())) as {
      key: string;
      value: string;
    }[];
    expect(before.some(({ value }) => "counted" in JSON.parse(value))).toBe(true);
    const rewritten = before.map(({ key, value }) => ({ key, value: JSON.stringify(row.parse(JSON.parse(value))) }));
    await within("coordinator", ({ sql }) => {
      for (const { key, value } of rewritten) sql.exec("UPDATE seen SET value = ? WHERE key = ?", value, key).toArray();
    });
    await evictDurableObject(STUBS.coordinator());
    const kept = release === "before-forgotten" ? 1 : 0;
    expect((await requestsOf("enam")) ?? 0).toBe(kept);
    await report("enam");
    expect(await requestsOf("enam")).toBe(kept + 1);
    expect((await coordinator.listEvents(0)).some(({ type }) => type === "RecordRefused")).toBe(false);
  },
);

describe.each(Object.keys(MIGRATIONS) as Kind[])("the migrations of the %s", (kind) => {
  it("are those that were released, and each of them is in this test", async () => {
    const digests = await Promise.all(MIGRATIONS[kind].map(digest));
    const released = RELEASED[kind];
    const edited = released.findIndex((one, index) => digests[index] !== one);
    expect(
      edited,
      `Migration ${edited + 1} of the ${kind} was released and must not be edited: databases that have had it would not get the change. Put it back, and add another at the end of the list.`,
    ).toBe(-1);
    const added = digests.slice(released.length);
    expect(
      added,
      `Add the digests of the new migrations of the ${kind} to RELEASED, and a fixture made by the code before them: test/fixtures/storage/README.md.`,
    ).toEqual([]);
  });
});

async function digest(statement: string): Promise<string> {
  const octets = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(statement)));
  return [...octets.slice(0, 8)].map((octet) => octet.toString(16).padStart(2, "0")).join("");
}
