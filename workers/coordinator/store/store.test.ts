import { describe, expect, it } from "vitest";
import { Bench, MINUTE, onBench, REGIONS_3, share } from "../../../test/support/coordinator/bench.ts";

const A = "203.0.113.10";
const B = "203.0.113.20";
const C = "203.0.113.30";
const ID = `east/shop/api/${A}`;

async function withdrawn(bench: Bench): Promise<void> {
  bench.put("east", 1, [share([A, B])]);
  await bench.run(MINUTE, REGIONS_3);
  bench.probers.outcome = (leaf) => (leaf === A ? "ConnectFailed" : "Ok");
  await bench.run(MINUTE, REGIONS_3);
  expect(bench.published()).toEqual([B]);
}

describe("a row that cannot be read", () => {
  const tables = ["clusters", "shares", "probes", "words", "shards", "seen", "records", "regions"];

  it.each(tables)("in %s stops nobody, is told of, and is made up for", async (table) => {
    await onBench(async (bench, { sql }) => {
      await withdrawn(bench);
      const held = bench.delivered.get("east");
      sql.exec(`INSERT OR IGNORE INTO ${table} (key, value) VALUES ('weur', '{')`);
      if (table === "clusters") sql.exec("DELETE FROM clusters WHERE key = 'weur'");
      for (const damage of ["", "{", "[]", '{"at":"S3CR3T"}', "null"]) {
        sql.exec(`UPDATE ${table} SET value = ?`, damage);
        bench.restart();
        const told = bench.coordination.listEvents(0).filter(({ message }) => message.includes("could not be read"));
        expect(told.length).toBeGreaterThan(0);
        expect(JSON.stringify(told)).not.toContain("S3CR3T");
      }
      bench.coordination.heartbeat();
      await bench.settle();
      // A decision stays until a new one is made from complete data.
      const published = bench.delivered.get("east")?.records[0]?.endpoints[0]?.targets ?? [];
      expect(published).toContain(B);
      const contact = {
        cluster: "east",
        sharesNumber: { epoch: held?.number.epoch ?? 0, n: 1 },
        decisionsNumber: held?.number ?? { epoch: 0, n: 0 },
      };
      if (bench.coordination.contact(contact).sharesWanted) bench.put("east", 1, [share([A, B], { published })]);
      await bench.run(3 * MINUTE, REGIONS_3);
      expect(bench.delivered.get("east")?.records[0]?.endpoints[0]?.targets).toEqual([B]);
      expect(bench.verdict(ID)).toBe("Unhealthy");
      bench.probers.outcome = () => "Ok";
      await bench.run(MINUTE, REGIONS_3);
      expect(bench.delivered.get("east")?.records[0]?.endpoints[0]?.targets).toEqual([A, B]);
    });
  });

  it("of one cluster's share changes nothing for the other, which is waited for", async () => {
    await onBench(async (bench, { sql }) => {
      bench.put("east", 1, [share([A])]);
      bench.put("west", 1, [share([B, C])]);
      await bench.run(MINUTE, REGIONS_3);
      const targets = () => bench.delivered.get("west")?.records[0]?.endpoints[0]?.targets;
      expect(targets()).toEqual([A, B, C]);
      sql.exec("UPDATE shares SET value = '{' WHERE key LIKE 'east/%'");
      bench.restart();
      bench.probers.outcome = (leaf) => (leaf === C ? "ConnectFailed" : "Ok");
      await bench.run(2 * MINUTE, REGIONS_3);
      expect(bench.verdict(`west/shop/api/${C}`)).toBe("Unhealthy");
      expect(targets()).toEqual([A, B, C]);
      bench.restart();
      await bench.run(MINUTE, REGIONS_3);
      expect(targets()).toEqual([A, B, C]);
      bench.put("east", 1, [share([A], { published: [A, B, C] })]);
      await bench.settle();
      expect(targets()).toEqual([A, B]);
    });
  });

  it("in the log is left out of it", async () => {
    await onBench(async (bench, { sql }) => {
      await withdrawn(bench);
      const events = bench.coordination.listEvents(0);
      sql.exec("UPDATE events SET value = '{' WHERE id = 1");
      expect(bench.coordination.listEvents(0)).toEqual(events.slice(1));
    });
  });
});

describe("the schema", () => {
  it("of a newer release is left alone, and runs: other tables, columns, fields and version", async () => {
    await onBench(async (bench, { sql }) => {
      await withdrawn(bench);
      sql.exec("UPDATE schema_version SET version = 99");
      sql.exec("CREATE TABLE novelties (key TEXT PRIMARY KEY)");
      sql.exec("ALTER TABLE probes ADD COLUMN novelty TEXT");
      for (const table of ["clusters", "shares", "probes", "words", "shards", "seen", "records"]) {
        sql.exec(`UPDATE ${table} SET value = json_set(value, '$.novelty', 1)`);
      }
      bench.restart();
      expect(bench.published()).toEqual([B]);
      bench.probers.outcome = () => "Ok";
      await bench.run(MINUTE, REGIONS_3);
      expect(bench.published()).toEqual([A, B]);
      expect(sql.exec("SELECT version FROM schema_version").one()).toEqual({ version: 99 });
    });
  });

  it("is not made by those who only ask", async () => {
    await onBench((bench, { sql }) => {
      const { coordination } = bench;
      coordination.heartbeat();
      coordination.removeCluster("east", bench.now);
      expect(coordination.listClusters()).toEqual([]);
      expect(coordination.listRecords()).toEqual([]);
      expect(coordination.listRegions()).toEqual([]);
      expect(coordination.listEvents(0)).toEqual([]);
      expect(coordination.readRecord("api.example.com")).toBeUndefined();
      expect(coordination.readProbe(ID)).toBeUndefined();
      expect(sql.exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\'").toArray()).toEqual([]);
    });
  });
});

it("bounds the log, and gives it out in pages", async () => {
  await onBench((bench, { sql }) => {
    bench.coordination.registerCluster("east");
    const value = JSON.stringify({ at: 1, type: "VerdictChanged", message: "x" });
    for (let count = 0; count < 6_000; count += 1) sql.exec("INSERT INTO events (value) VALUES (?)", value);
    for (let count = 0; count < 100; count += 1) bench.coordination.registerCluster(`c${count}`);
    const rows = sql.exec<{ count: number }>("SELECT count(*) AS count FROM events").one().count;
    expect(rows).toBeLessThanOrEqual(5_100);
    const page = bench.coordination.listEvents(0);
    expect(page).toHaveLength(500);
    expect(bench.coordination.listEvents(page.at(-1)?.id ?? 0)[0]?.id).toBe((page.at(-1)?.id ?? 0) + 1);
  });
});

it("rolls back what a call has done when it throws, and goes on", async () => {
  await onBench(async (bench, { sql }) => {
    await withdrawn(bench);
    sql.exec("CREATE TRIGGER broken BEFORE INSERT ON records BEGIN SELECT RAISE(ABORT, 'disk full'); END");
    expect(() => bench.put("east", 2, [share([A, B], { check: null })])).toThrow("disk full");
    expect(bench.published()).toEqual([B]);
    expect(bench.verdict(ID)).toBe("Unhealthy");
    sql.exec("DROP TRIGGER broken");
    bench.put("east", 2, [share([A, B], { check: null })]);
    expect(bench.published()).toEqual([A, B]);
  });
});

describe("the number of partitions", () => {
  it("is that of the time when the storage was created, whatever is set later; asking creates none", async () => {
    await onBench(
      (bench, storage) => {
        expect(bench.coordination.partitions()).toBe(4);
        expect(new Bench(storage, { partitions: 8 }).coordination.partitions()).toBe(8);
        bench.put("east", 1, [share([A])]);
        expect(new Bench(storage, { partitions: 8 }).coordination.partitions()).toBe(4);
      },
      { partitions: 4 },
    );
  });
});
