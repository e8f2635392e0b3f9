import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { MessageNumber } from "../shared/model/number.ts";
import { CANARY, LEAVES, source, startController } from "../test/support/agent/core.ts";
import { contact as contactMessage, delivered, delivery } from "../test/support/agent/delivered.ts";
import { propertyRuns } from "../test/support/property-runs.ts";
import { digestOf } from "./plan/accepted-specs.ts";
import type { SourceState } from "./sources/file-source.ts";

const [one, two, three] = LEAVES;
const all = [...LEAVES];

let at: ReturnType<typeof startController>;
beforeEach(async () => {
  at = startController();
  await at.core.takeSource(source({ name: "x" }));
});

const publish = (n: number, targets: string[], epoch = 1) => delivery({ epoch, n }, [delivered("x.test", targets)]);
const applied = (number: MessageNumber) => ({ kind: "Applied", number, takesChanges: true });
const silence = async () => {
  at.world.elapsedMs += 300_000;
  await at.core.tick();
};

describe("a delivery", () => {
  it("is stored and in DNS before it is acknowledged", async () => {
    expect(at.dns()).toBe("Undecided");
    expect(await at.core.takeDelivery(publish(1, [one, two]))).toEqual(applied({ epoch: 1, n: 1 }));
    expect(at.dns()).toEqual([one, two]);
    expect(at.world.stored.hosts["x.test"]?.served?.[0]?.targets).toEqual([one, two]);
    expect(at.world.stored.number).toEqual({ epoch: 1, n: 1 });
  });

  it("that is late changes nothing and is acknowledged with the highest number", async () => {
    await at.core.takeDelivery(publish(5, [one]));
    expect(await at.core.takeDelivery(publish(4, [two]))).toEqual(applied({ epoch: 1, n: 5 }));
    expect(at.dns()).toEqual([one]);
  });

  it("that comes twice does nothing the second time", async () => {
    await at.core.takeDelivery(publish(5, [one]));
    const { serial } = at.world.stored;
    const { log, snapshots } = at.world;
    const lines = log.length;
    expect(await at.core.takeDelivery(publish(5, [one]))).toEqual(applied({ epoch: 1, n: 5 }));
    expect([at.world.stored.serial, at.world.log.length, at.world.snapshots]).toEqual([serial, lines, snapshots]);
  });

  it("of an edge that lost its counter is newer by its epoch", async () => {
    await at.core.takeDelivery(publish(500, [one]));
    await at.core.takeDelivery(publish(1, [two], 2));
    expect(at.dns()).toEqual([two]);
    await at.core.takeDelivery(publish(501, [one]));
    expect(at.dns()).toEqual([two]);
  });

  it("ends in the same state in whatever order, with losses and repeats, they come", async () => {
    const targets = fc.subarray(all, { minLength: 1 });
    const messages = fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.nat(5), targets), {
      minLength: 1,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(messages, async (sent) => {
        const { core, dns } = startController();
        await core.takeSource(source({ name: "x" }));
        const byNumber = new Map(sent.map(([epoch, n, leaves]) => [epoch * 100 + n, leaves]));
        const answers = await Promise.all(
          sent.map(([epoch, n]) => core.takeDelivery(publish(n, byNumber.get(epoch * 100 + n)!, epoch))),
        );
        const newest = Math.max(...byNumber.keys());
        expect(dns()).toEqual(byNumber.get(newest));
        expect(answers.at(-1)).toEqual(applied({ epoch: Math.floor(newest / 100), n: newest % 100 }));
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  it("for another cluster, or that cannot be read, is refused and changes nothing", async () => {
    await at.core.takeDelivery(publish(1, [one]));
    for (const wrong of [{ ...(publish(2, [two]) as object), cluster: "there" }, { version: 2 }, null, [], "x"]) {
      expect(await at.core.takeDelivery(wrong)).toMatchObject({ kind: "Refused" });
    }
    expect(at.dns()).toEqual([one]);
    expect(at.world.stored.number.n).toBe(1);
  });

  it("with one bad record is taken but for that, whose last form stays", async () => {
    await at.core.takeSource(source({ name: "x" }, { name: "y" }));
    await at.core.takeDelivery(delivery({ epoch: 1, n: 1 }, [delivered("x.test", [one]), delivered("y.test", [one])]));
    const foreign = delivered("x.test", [two]);
    for (const bad of [
      { ...foreign, endpoints: [{ ...foreign.endpoints[0]!, dnsName: "victim.test" }] },
      { ...foreign, endpoints: [{ ...foreign.endpoints[0]!, targets: ["not an address"] }] },
      { ...foreign, rootHost: "" },
    ]) {
      await at.core.takeDelivery(
        delivery({ epoch: 1, n: at.core.state.number.n + 1 }, [bad, delivered("y.test", [two])]),
      );
      expect([at.dns(), at.dns("y.test"), at.dns("victim.test")]).toEqual([[one], [two], "Refused"]);
    }
  });

  it("that names a host of nobody here leaves that host alone", async () => {
    await at.core.takeDelivery(
      delivery({ epoch: 1, n: 1 }, [delivered("x.test", [one]), delivered("victim.test", [two])]),
    );
    expect(at.dns("victim.test")).toBe("Refused");
    expect(Object.keys(at.world.stored.hosts)).toEqual(["x.test"]);
    const told = at.world.log.filter((line) => line.includes("victim.test"));
    expect(told).toEqual(["victim.test was delivered and ignored: no record here names it"]);
  });

  it("of a newer edge may hold words that this agent does not know", async () => {
    const record = delivered("x.test", [one], { unhealthy: [two] });
    const newer = {
      ...record,
      forecast: "sunny",
      leaves: [{ leaf: one, published: true, reason: "BlessedByOracle", extra: 1 }],
      probes: record.probes.map((probe) => ({ ...probe, verdict: "Dubious", mood: {}, regions: [{ region: "moon" }] })),
    };
    await at.core.takeDelivery({ ...(delivery({ epoch: 1, n: 1 }, [newer]) as object), trace: "x" });
    expect(at.dns()).toEqual([one]);
  });

  it("goes into DNS although the state cannot be stored, and is acknowledged once it is", async () => {
    await at.core.takeDelivery(publish(1, [one, two]));
    at.world.diskFull = true;
    expect(await at.core.takeDelivery(publish(2, [one]))).toEqual({ kind: "NotStored" });
    expect(at.dns()).toEqual([one]);
    expect(await at.core.takeDelivery(publish(2, [one]))).toEqual({ kind: "NotStored" });
    at.world.diskFull = false;
    expect(await at.core.takeDelivery(publish(2, [one]))).toEqual(applied({ epoch: 1, n: 2 }));
    expect(at.world.stored.number.n).toBe(2);
  });
});

describe("silence of the edge", () => {
  it("publishes all leaves, and contact brings back the newest delivery, although it was had already", async () => {
    await at.core.takeDelivery(publish(1, [one]));
    await silence();
    expect(at.dns()).toEqual(all);
    expect(at.world.stored.records["shop/x"]?.status.conditions).toContainEqual(
      expect.objectContaining({ type: "EdgeReachable", status: "False" }),
    );
    await at.core.takeDelivery(contactMessage({ epoch: 1, n: 1 }, 2_000));
    expect(at.dns()).toEqual([one]);
    expect(at.world.stored.records["shop/x"]?.status.conditions).toContainEqual(
      expect.objectContaining({ type: "EdgeReachable", status: "True" }),
    );
  });

  it("is not ended by a replay or a late message", async () => {
    await at.core.takeDelivery(publish(1, [one]));
    await at.core.takeDelivery(contactMessage({ epoch: 1, n: 1 }, 5_000));
    await silence();
    await at.core.takeDelivery(contactMessage({ epoch: 1, n: 1 }, 5_000));
    await at.core.takeDelivery(publish(1, [one]));
    await at.core.takeDelivery(contactMessage({ epoch: 1, n: 0 }, 9_000));
    expect(at.dns()).toEqual(all);
  });

  it("stays what it was over a restart, in which nothing is republished before silence is real", async () => {
    await at.core.takeDelivery(publish(1, [one]));
    const restarted = startController(at.world.stored);
    expect(restarted.dns()).toEqual([one]);
    await restarted.core.takeSource(source({ name: "x" }));
    restarted.world.elapsedMs += 299_999;
    await restarted.core.tick();
    expect(restarted.dns()).toEqual([one]);
    restarted.world.elapsedMs += 1;
    await restarted.core.tick();
    expect(restarted.dns()).toEqual(all);
    const again = startController(restarted.world.stored);
    await again.core.takeSource(source({ name: "x" }));
    expect(again.dns()).toEqual(all);
  });

  it("does nothing before the records have been read", async () => {
    await at.core.takeDelivery(publish(1, [one]));
    const restarted = startController(at.world.stored);
    restarted.world.elapsedMs += 300_000;
    await restarted.core.tick();
    expect(restarted.dns()).toEqual([one]);
  });
});

describe("the records", () => {
  it("that are removed leave DNS and the state", async () => {
    await at.core.takeSource(source({ name: "x" }, { name: "y" }));
    await at.core.takeDelivery(delivery({ epoch: 1, n: 1 }, [delivered("x.test", [one]), delivered("y.test", [one])]));
    await at.core.takeSource(source({ name: "y" }));
    expect([at.dns("x.test"), at.dns("y.test")]).toEqual(["Refused", [one]]);
    expect(Object.keys(at.world.stored.records)).toEqual(["shop/y"]);
  });

  it("leave nothing behind, however many come and go", async () => {
    const size = () => JSON.stringify(at.world.stored).length;
    await at.core.takeDelivery(publish(1, [one]));
    const before = size();
    for (let n = 2; n < 60; n += 1) {
      await at.core.takeSource(source({ name: "x" }, { name: `r${n}` }));
      await at.core.takeDelivery(
        delivery({ epoch: 1, n }, [delivered("x.test", [one]), delivered(`r${n}.test`, [one])]),
      );
    }
    await at.core.takeSource(source({ name: "x" }));
    expect(size()).toBeLessThan(before + 100);
    expect([...at.world.zones.keys()]).toEqual(["x.test"]);
  });

  it("are known to the snapshot with every change of theirs and of DNS, and with nothing else", async () => {
    const before = at.world.snapshots;
    await at.core.takeSource(source({ name: "x" }));
    expect(at.world.snapshots).toBe(before);
    await at.core.takeDelivery(publish(1, [one]));
    expect(at.world.snapshots).toBe(before + 1);
    await at.core.takeDelivery(publish(2, [one]));
    expect(at.world.snapshots).toBe(before + 1);
    await at.core.takeSource(source({ name: "x", targets: [one, two] }));
    expect(at.world.snapshots).toBe(before + 2);
  });

  it("that the edge refuses stand with the form that it took last", async () => {
    const taken = source({ name: "x" });
    const answer = (state: SourceState, status: "True" | "False") => {
      const [record] = state.records;
      const condition = { type: "Accepted", status, reason: status, message: "" };
      return at.core.takeAnswers([{ key: record!.key, digest: digestOf(record!.specInput), condition }]);
    };
    await answer(taken, "True");
    await at.core.takeDelivery(publish(1, [one, two]));
    const edited = source({ name: "x", targets: [two, "192.0.2.9"] });
    await at.core.takeSource(edited);
    expect(at.dns()).toEqual([two]);
    await answer(edited, "False");
    expect(at.dns()).toEqual([one, two]);
    await silence();
    expect(at.dns()).toEqual(all);
  });

  it("that the edge refuses follow its decisions of the host that they stand for, also if their newest form names another", async () => {
    const answer = ({ records: [record] }: SourceState, status: "True" | "False") => {
      const condition = { type: "Accepted", status, reason: status, message: "" };
      return at.core.takeAnswers([{ key: record!.key, digest: digestOf(record!.specInput), condition }]);
    };
    await answer(source({ name: "x" }), "True");
    await at.core.takeDelivery(publish(1, [one, two]));
    const moved = source({ name: "x", host: "y.test" });
    await at.core.takeSource(moved);
    await answer(moved, "False");
    await at.core.takeDelivery(publish(2, [two]));
    expect(at.dns()).toEqual([two]);
    expect(at.world.log.filter((line) => line.includes("ignored"))).toEqual([]);
    await at.core.takeDelivery(publish(3, [one]));
    expect(at.dns()).toEqual([one]);
  });

  it("that the edge never took are not served, not even when it is silent", async () => {
    const state = source({ name: "x" });
    const condition = { type: "Accepted", status: "False" as const, reason: "HostNotAllowed", message: "not yours" };
    await at.core.takeAnswers([{ key: "shop/x", digest: digestOf(state.records[0]!.specInput), condition }]);
    await silence();
    expect(at.dns()).toBe("Refused");
    expect(at.world.stored.records["shop/x"]?.status.conditions).toContainEqual(expect.objectContaining(condition));
  });

  it("keep their secrets out of the state and the log", async () => {
    await at.core.takeDelivery(publish(1, [one]));
    await silence();
    expect(at.core.source.records[0]?.headers).toEqual({ "X-Key": CANARY });
    const encoded = Buffer.from(CANARY).toString("base64").slice(0, -3);
    for (const text of [JSON.stringify(at.world.stored), at.world.log.join()]) {
      expect(text).not.toContain(CANARY);
      expect(text).not.toContain(encoded);
    }
  });
});

describe("the status of a record", () => {
  it("says what each leaf is in for, and changes its times only with its conditions", async () => {
    await at.core.takeDelivery(delivery({ epoch: 1, n: 1 }, [delivered("x.test", [one], { unhealthy: [two] })]));
    const status = at.world.stored.records["shop/x"]?.status;
    expect(status).toMatchObject({
      rootHost: "x.test",
      published: [{ targets: [one] }],
      leaves: [
        { leaf: one, published: true, reason: "Healthy" },
        { leaf: two, published: false, reason: "UnhealthyWithheld" },
      ],
      probes: [
        { leaf: one, verdict: "Healthy", regions: { weur: "Healthy" } },
        { leaf: two, verdict: "Unhealthy", consecutiveFailures: 3, regions: { weur: "Unhealthy (ConnectFailed)" } },
      ],
    });
    expect(status?.conditions).toContainEqual(
      expect.objectContaining({
        type: "Healthy",
        status: "False",
        reason: "PartiallyHealthy",
        message: `Unhealthy: ${two}.`,
      }),
    );
    at.world.elapsedMs += 1_000;
    await at.core.takeDelivery(delivery({ epoch: 1, n: 2 }, [delivered("x.test", [one], { unhealthy: [two, three] })]));
    const times = (conditions: { lastTransitionTime: string }[] = []) =>
      conditions.map(({ lastTransitionTime }) => lastTransitionTime);
    expect(times(at.world.stored.records["shop/x"]?.status.conditions)).toEqual(times(status?.conditions));
  });

  it("says of a certificate that was let pass what is wrong with it", async () => {
    const record = delivered("x.test", [one]);
    const skipped = { reason: "CertificateExpired", message: "The certificate expired." };
    for (const region of record.probes[0]?.regions ?? []) {
      region.observation = { reason: "Ok", tls: { skipped } };
    }
    await at.core.takeDelivery(delivery({ epoch: 1, n: 1 }, [record]));
    const { probes } = at.world.stored.records["shop/x"]?.status ?? {};
    expect(probes?.[0]?.regions).toEqual({ weur: "Healthy (despite CertificateExpired)" });
  });

  it("of each of 500 is right within a delivery that flips 50 of them", async () => {
    const names = Array.from({ length: 500 }, (_, index) => `r${index}`);
    await at.core.takeSource(source(...names.map((name) => ({ name }))));
    const decide = (n: number, flipped: number) =>
      at.core.takeDelivery(
        delivery(
          { epoch: 1, n },
          names.map((name, index) =>
            delivered(`${name}.test`, index < flipped ? [one] : [one, two], {
              unhealthy: index < flipped ? [two] : [],
              record: `shop/${name}`,
            }),
          ),
        ),
      );
    await decide(1, 0);
    const startedAt = performance.now();
    await decide(2, 50);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    const health = names.map(
      (name) =>
        at.world.stored.records[`shop/${name}`]?.status.conditions.find(({ type }) => type === "Healthy")?.reason,
    );
    expect(health.filter((reason) => reason === "PartiallyHealthy")).toHaveLength(50);
    expect(health.filter((reason) => reason === "Healthy")).toHaveLength(450);
    expect([at.dns("r0.test"), at.dns("r50.test")]).toEqual([[one], [one, two]]);
  });
});
