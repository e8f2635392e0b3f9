import { describe, expect, it, vi } from "vitest";
import type { SnapshotRecordInput } from "../../shared/model/messages/snapshot.ts";
import { encodeSnapshot } from "../../shared/snapshot.ts";
import { recordOf, signed, statusOf, type World, withCluster } from "../../test/support/cluster.ts";

const CANARY = "S3CR3T-c4nary";
const KEY = btoa("0123456789abcdef0123456789abcdef");
const OTHER_KEY = btoa("fedcba9876543210fedcba9876543210");
const WITH_KEY = { HEADER_KEY: KEY };

const withHeaders = (name: string, change: Partial<SnapshotRecordInput> = {}): SnapshotRecordInput => {
  const record = recordOf(name);
  const healthCheck = { protocol: "HTTP" as const, additionalHeadersRef: { name: "h" }, allowHeadersInCleartext: true };
  return { ...record, spec: { ...record.spec, healthCheck }, ...change };
};

const conditionsOf = async (world: World, records: SnapshotRecordInput[]) => {
  const pushed = await world.push(records);
  if (!pushed.ok) throw new Error(JSON.stringify(pushed.problem));
  return pushed.receipt.records.map(({ record, conditions }) => [
    record,
    conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`).join(", "),
  ]);
};
const shareOf = ({ coordinators }: World, name: string) =>
  coordinators.flatMap(({ held }) => held?.shares ?? []).find((share) => share.name === name);

describe("a record that is refused", () => {
  it("keeps its last accepted form, and stops none of the others", async () => {
    await withCluster("refusing", {}, async (world) => {
      await world.push([recordOf("a"), recordOf("b"), recordOf("c")]);
      const moved = (name: string, target: string): SnapshotRecordInput => {
        const rootHost = `${name}.example.com`;
        const spec = { rootHost, endpoints: [{ dnsName: rootHost, recordType: "A" as const, targets: [target] }] };
        return { ...recordOf(name), spec };
      };
      const wrong = { ...moved("a", "203.0.113.99"), spec: { ...moved("a", "203.0.113.99").spec, minPublished: 0 } };
      const foreign = { ...recordOf("d"), spec: { ...recordOf("d").spec, rootHost: "d.example.org", endpoints: [] } };
      expect(await conditionsOf(world, [wrong, moved("b", "203.0.113.98"), recordOf("c"), foreign])).toEqual([
        ["shop/a", "Accepted=False FieldInvalid"],
        ["shop/b", "Accepted=True Accepted"],
        ["shop/c", "Accepted=True Accepted"],
        ["shop/d", "Accepted=False FieldInvalid"],
      ]);
      expect(shareOf(world, "a")?.spec).toMatchObject({ endpoints: [{ targets: ["203.0.113.10"] }] });
      expect(shareOf(world, "b")?.spec).toMatchObject({ endpoints: [{ targets: ["203.0.113.98"] }] });
      expect(shareOf(world, "d")).toBeUndefined();
      expect((await world.cluster.describe())?.conditions).toMatchObject([
        { type: "RecordsAccepted", status: "False", message: "shop/a (FieldInvalid), shop/d (FieldInvalid)" },
      ]);
    });
  });

  it("is so for a host that the cluster may not name, for endpoints that make no sense, and when it is given twice", async () => {
    await withCluster("refused-kinds", {}, async (world) => {
      const named = (name: string, rootHost: string, targets: string[], recordType: "A" | "CNAME" = "A") => ({
        namespace: "shop",
        name,
        spec: { rootHost, endpoints: [{ dnsName: rootHost, recordType, targets }] },
      });
      expect(
        await conditionsOf(world, [
          named("foreign", "api.example.org", ["203.0.113.10"]),
          named("apex", "example.com", ["203.0.113.10"]),
          named("cycle", "x.example.com", ["x.example.com"], "CNAME"),
          recordOf("twice"),
          recordOf("twice"),
          recordOf("good"),
        ]),
      ).toEqual([
        ["shop/foreign", "Accepted=False HostNotAllowed"],
        ["shop/apex", "Accepted=False HostNotAllowed"],
        ["shop/cycle", "Accepted=False EndpointsInvalid"],
        ["shop/twice", "Accepted=False DuplicateRecord"],
        ["shop/twice", "Accepted=False DuplicateRecord"],
        ["shop/good", "Accepted=True Accepted"],
      ]);
    });
  });

  it("and cannot be told whose it is keeps every record that is not named: none is taken for gone", async () => {
    await withCluster("unreadable", {}, async (world) => {
      await world.push([recordOf("a"), recordOf("b")]);
      const body = encodeSnapshot({ clusterUid: "uid-1", instance: "agent-1" }, [recordOf("a"), recordOf("b")]);
      const broken = body.replace(/\{"namespace":"shop","name":"b".*/, '{"namespace":"shop","na');
      const request = { ...signed(world.secret, "broken", broken), ifMatch: world.etag ?? "" };
      expect(await world.cluster.putSnapshot(request)).toMatchObject({
        ok: true,
        receipt: { records: [{ line: 2 }, { line: 3, conditions: [{ status: "False", reason: "FieldInvalid" }] }] },
      });
      expect(shareOf(world, "b")).toBeDefined();
    });
  });

  it("shows what the coordinator says of it too", async () => {
    await withCluster("both-say", {}, async (world) => {
      const conflict = { type: "Conflict", status: "True", reason: "OlderShareHolds", message: "" } as const;
      if (world.coordinators[0]) world.coordinators[0].conditions = [{ record: "shop/a", conditions: [conflict] }];
      expect(await conditionsOf(world, [recordOf("a")])).toEqual([
        ["shop/a", "Accepted=True Accepted, Conflict=True OlderShareHolds"],
      ]);
      const shares = [{ cluster: "both-say", record: "shop/a", conditions: [conflict] }];
      await world.decide(1, [{ ...statusOf("a.example.com", ["203.0.113.10"]), shares }]);
      world.restart();
      expect(await conditionsOf(world, [recordOf("a")])).toEqual([
        ["shop/a", "Accepted=True Accepted, Conflict=True OlderShareHolds"],
      ]);
    });
  });
});

describe("secret headers", () => {
  it("are sealed, and stay the same blob as long as they are the same", async () => {
    await withCluster("sealing", WITH_KEY, async (world) => {
      await world.push([withHeaders("a", { headers: { "X-Api-Key": `${CANARY}\n`, "X-B": "b" } })]);
      const first = shareOf(world, "a")?.headers;
      expect(first?.sealed.keyId).toBe("1");
      await world.push([withHeaders("a", { headers: { "X-B": "b", "X-Api-Key": CANARY }, generation: 2 })]);
      expect(shareOf(world, "a")).toMatchObject({ generation: 2, headers: first });
      await world.push([withHeaders("a", { headers: { "X-B": "b", "X-Api-Key": "other" }, generation: 3 })]);
      expect(shareOf(world, "a")?.headers?.digest).not.toBe(first?.digest);
    });
  });

  it("are sealed anew when the key rotates, and keep their digest: no count starts anew", async () => {
    await withCluster("rotating-key", WITH_KEY, async (world) => {
      const headers = { "X-Api-Key": CANARY };
      await world.push([withHeaders("a", { headers })]);
      const first = shareOf(world, "a")?.headers;
      const rotated = {
        HEADER_KEY: OTHER_KEY,
        HEADER_KEY_ID: "2",
        HEADER_KEY_PREVIOUS: KEY,
        HEADER_KEY_PREVIOUS_ID: "1",
      };
      world.restart(rotated);
      await world.push([withHeaders("a", { headers, generation: 2 })]);
      const second = shareOf(world, "a")?.headers;
      expect(second?.sealed.keyId).toBe("2");
      expect(second?.digest).toBe(first?.digest);
      world.restart({ HEADER_KEY: OTHER_KEY, HEADER_KEY_ID: "2" });
      await world.push([withHeaders("a", { headers, generation: 3 })]);
      expect(shareOf(world, "a")?.headers).toEqual(second);
    });
  });

  it("that are thousands of wrong ones rest their record in a few words, and stop no other", async () => {
    await withCluster("many-headers", WITH_KEY, async (world) => {
      const headers = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`no name ${n}`, "v"]));
      await world.push([withHeaders("a", { headers }), withHeaders("b", { headers: { "X-B": "b" } })]);
      expect(shareOf(world, "a")?.resting).toMatchObject({ reason: "HeadersRefused" });
      expect(shareOf(world, "a")?.resting?.message.length).toBeLessThan(1_100);
      expect(shareOf(world, "b")?.headers).toBeDefined();
    });
  });

  it.each([
    ["are missing", "unavailable", { headersProblem: "The Secret shop/h does not exist." }, "HeadersUnavailable"],
    ["are not given at all", "absent", {}, "HeadersUnavailable"],
    ["hold a forbidden name", "forbidden", { headers: { Host: CANARY } }, "HeadersRefused"],
    ["hold a line break", "broken", { headers: { "X-A": `${CANARY}\r\nHost: evil` } }, "HeadersRefused"],
  ])(
    "that %s let the probes rest with the headers they had; the record is accepted",
    async (_, name, change, reason) => {
      await withCluster(`resting-${name}`, WITH_KEY, async (world) => {
        await world.push([withHeaders("a", { headers: { "X-Api-Key": "good" } })]);
        const good = shareOf(world, "a")?.headers;
        expect(await conditionsOf(world, [withHeaders("a", { ...change, generation: 2 })])).toEqual([
          ["shop/a", `Accepted=True Accepted, Resting=True ${reason}`],
        ]);
        expect(shareOf(world, "a")).toMatchObject({ generation: 2, headers: good, resting: { reason } });
        await world.push([withHeaders("a", { headers: { "X-Api-Key": "good" } })]);
        expect(shareOf(world, "a")?.headers).toEqual(good);
        expect(shareOf(world, "a")).not.toHaveProperty("resting");
      });
    },
  );

  it("let the probes rest while the Worker has no key", async () => {
    await withCluster("keyless", {}, async (world) => {
      expect(await conditionsOf(world, [withHeaders("a", { headers: { "X-Api-Key": CANARY } })])).toEqual([
        ["shop/a", "Accepted=True Accepted, Resting=True HeaderKeyMissing"],
      ]);
      expect(JSON.stringify(shareOf(world, "a"))).not.toContain(CANARY);
    });
  });

  it("appear in no answer, no log, no delivery and no row, whatever is wrong with them", async () => {
    const logged: string[] = [];
    const methods = ["log", "info", "warn", "error", "debug"] as const;
    const spies = methods.map((method) =>
      vi.spyOn(console, method).mockImplementation((...words) => void logged.push(words.map(String).join(" "))),
    );
    const answers: unknown[] = [];
    await withCluster("disclosing", { ...WITH_KEY, VEDETTE_RECONFIG_MAX_DELAY: "0s" }, async (world) => {
      const wrong = (name: string, change: object) => ({ ...withHeaders(name), headers: { "X-K": CANARY }, ...change });
      answers.push(
        await world.push([wrong("a", {}), wrong("b", { generation: -1 }), wrong("c", { bogus: CANARY.length })]),
      );
      answers.push(await world.push([wrong("a", {}), wrong("b", { headers: { Host: CANARY } })]));
      answers.push(await world.push([wrong("a", { headers: { "X-K": `${CANARY}\0x` } }), wrong("b", {})]));
      answers.push(await world.push([wrong("a", { headers: { "X-K": [CANARY] } }), wrong("b", { headers: CANARY })]));
      answers.push(
        await world.push([wrong("a", {})], { ifMatch: '"0.0"' }),
        await world.push([wrong("a", {})], { secret: btoa("x") }),
      );
      if (world.coordinators[0]) world.coordinators[0].mode = "down";
      await world.decide(1, [statusOf("a.example.com", ["203.0.113.10"])]);
      answers.push(await world.push([wrong("a", { generation: 9 })]), await world.cluster.describe());
      await world.cluster.alarm();
      answers.push(await world.received());
      answers.push(world.state.storage.sql.exec("SELECT share FROM record").toArray());
      answers.push(world.state.storage.sql.exec("SELECT value FROM cell WHERE name <> 'identity'").toArray());
    });
    for (const spy of spies) spy.mockRestore();
    const everything = JSON.stringify([answers, logged]);
    expect(everything).toContain("disclosing");
    for (const form of [CANARY, btoa(CANARY), btoa(CANARY).slice(0, 12)]) expect(everything).not.toContain(form);
  });
});
