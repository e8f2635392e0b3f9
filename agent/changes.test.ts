import { beforeEach, describe, expect, it } from "vitest";
import type { MessageNumber } from "../shared/model/number.ts";
import { NO_NUMBER } from "../shared/number.ts";
import { LEAVES, source, startController } from "../test/support/agent/core.ts";
import { changes, contact, delivered, delivery } from "../test/support/agent/delivered.ts";

const [one, two, three] = LEAVES;
const number = (n: number, epoch = 1): MessageNumber => ({ epoch, n });
const host = (name: string, ...targets: string[]) => delivered(`${name}.test`, targets, { record: `shop/${name}` });
const unreadable = (name: string) => ({ ...host(name, one), endpoints: "none" });
const own = (...names: string[]) => source(...names.map((name) => ({ name })));

let at: ReturnType<typeof startController>;
/** Begins with a whole delivery, number 5, of the records x and y. */
beforeEach(async () => {
  at = startController();
  await at.core.takeSource(own("x", "y"));
  await at.core.takeDelivery(delivery(number(5), [host("x", one), host("y", one)]));
});

const dns = () => [at.dns("x.test"), at.dns("y.test")];
const take = (json: unknown) => at.core.takeDelivery(json);

describe("changes to what is held", () => {
  it("are applied, and all else stays", async () => {
    expect(await take(changes(number(5), number(7), [host("y", two)]))).toEqual({
      kind: "Applied",
      number: number(7),
      takesChanges: true,
    });
    expect(dns()).toEqual([[one], [two]]);
    expect(at.world.stored.number).toEqual(number(7));
  });

  it("may be to an older number: they hold what changed since as it is now", async () => {
    expect(await take(changes(number(3), number(7), [host("y", two)]))).toMatchObject({ number: number(7) });
    expect(dns()).toEqual([[one], [two]]);
  });

  it("tell what the edge names, as a whole delivery would", async () => {
    expect([...(at.core.namedByEdge ?? [])].toSorted()).toEqual(["shop/x", "shop/y"]);
    await take(changes(number(5), number(6), [host("z", one)], ["x.test"]));
    expect([...(at.core.namedByEdge ?? [])].toSorted()).toEqual(["shop/y", "shop/z"]);
    expect(at.world.log.filter((line) => line.includes("ignored"))).toEqual([
      "z.test was delivered and ignored: no record here names it",
    ]);
    await take(changes(number(6), number(7), [host("y", two)]));
    expect(at.world.log.filter((line) => line.includes("ignored"))).toHaveLength(1);
  });

  it("leave a record that cannot be read as it was, and the next delivery has to be whole", async () => {
    const answer = await take(changes(number(5), number(6), [unreadable("x"), host("y", two)]));
    expect(answer).toEqual({ kind: "Applied", number: number(6), takesChanges: false });
    expect(dns()).toEqual([[one], [two]]);
    expect(await take(changes(number(6), number(7), [host("y", three)]))).toMatchObject({ number: number(6) });
    expect(dns()).toEqual([[one], [two]]);
    await take(delivery(number(7), [host("x", two), host("y", three)]));
    expect(dns()).toEqual([[two], [three]]);
  });

  it("go into DNS although they cannot be stored, and the whole that follows is acknowledged", async () => {
    at.world.diskFull = true;
    expect(await take(changes(number(5), number(6), [host("y", two)]))).toEqual({ kind: "NotStored" });
    expect(dns()).toEqual([[one], [two]]);
    at.world.diskFull = false;
    expect(await take(delivery(number(6), [host("x", one), host("y", two)]))).toMatchObject({ number: number(6) });
    expect(dns()).toEqual([[one], [two]]);
  });
});

describe("changes to what is not held", () => {
  it.each<[string, unknown]>([
    ["a number that has not come", changes(number(6), number(7), [host("y", two)])],
    ["a number of another epoch", changes(number(4, 2), number(7, 2), [host("y", two)])],
    ["a number of an earlier epoch", changes(number(9, 0), number(7), [host("y", two)])],
  ])("(%s) are answered with the number that is", async (_, json) => {
    expect(await take(json)).toMatchObject({ kind: "Applied", number: number(5) });
    expect(dns()).toEqual([[one], [one]]);
  });

  it("are not taken by a process that has not had the whole, be it that its number is new enough", async () => {
    at = startController(at.world.stored);
    await at.core.takeSource(own("x", "y"));
    const answer = await take(changes(number(5), number(6), [host("y", two)]));
    expect(answer).toEqual({ kind: "Applied", number: number(5), takesChanges: false });
    expect(dns()).toEqual([[one], [one]]);
    expect(await take(delivery(number(6), [host("x", one), host("y", two)]))).toMatchObject({ takesChanges: true });
  });

  it("are not taken where a delivered record could not be read", async () => {
    await take(delivery(number(6), [host("x", two), unreadable("y")]));
    expect(await take(changes(number(6), number(7), [host("x", three)]))).toMatchObject({ number: number(6) });
    expect(dns()).toEqual([[two], [one]]);
  });

  it("are not taken where a record here came to name a host that was delivered and ignored before", async () => {
    await take(delivery(number(6), [host("x", one), host("y", one), host("z", two)]));
    await at.core.takeSource(own("x", "y", "z"));
    expect(await take(contact(number(6), 9_000))).toEqual({ kind: "Applied", number: NO_NUMBER, takesChanges: false });
    expect(await take(changes(number(6), number(7), [host("x", two)], [], 9_100))).toMatchObject({ number: number(6) });
    await take(delivery(number(7), [host("x", two), host("y", one), host("z", two)]));
    expect([...dns(), at.dns("z.test")]).toEqual([[two], [one], [two]]);
  });

  it("are not taken where a record went and came back meanwhile: what was decided of it is not held any more", async () => {
    await at.core.takeSource(own("x"));
    await at.core.takeSource(own("x", "y"));
    expect(await take(changes(number(5), number(6), [host("x", two)]))).toMatchObject({ number: number(5) });
  });

  it("are contact once, but not as often as somebody repeats them", async () => {
    const gap = changes(number(6), number(7), [host("y", two)], [], 9_000);
    await take(gap);
    at.world.elapsedMs += 300_000;
    await at.core.tick();
    expect(dns()).toEqual([[...LEAVES], [...LEAVES]]);
    await take(gap);
    expect(dns()).toEqual([[...LEAVES], [...LEAVES]]);
    await take(changes(number(6), number(7), [host("y", two)], [], 9_001));
    expect(dns()).toEqual([[one], [one]]);
  });
});

describe("a decision that was told and is not held, since a record came or came back,", () => {
  const whole = (sentAt: number) => delivery(number(5), [host("x", one), host("y", one), host("z", two)], sentAt);

  it("is asked for with the answer to word from the edge, and taken although it has no new number", async () => {
    await at.core.takeSource(own("x"));
    await at.core.takeSource(own("x", "y"));
    expect(dns()).toEqual([[one], "Undecided"]);
    expect(await take(contact(number(5), 9_000))).toEqual({
      kind: "Applied",
      number: NO_NUMBER,
      takesChanges: false,
    });
    expect(await take(delivery(number(5), [host("x", one), host("y", one)], 9_100))).toMatchObject({
      number: number(5),
      takesChanges: true,
    });
    expect(dns()).toEqual([[one], [one]]);
    expect(await take(contact(number(5), 9_200))).toMatchObject({ number: number(5), takesChanges: true });
  });

  it("comes with the answer to the snapshot too, and is asked for by an agent that asks", async () => {
    await take(delivery(number(6), [host("x", one), host("y", one), host("z", two)]));
    expect(at.core.held).toEqual(number(6));
    await at.core.takeSource(own("x", "y", "z"));
    expect([at.core.held, at.dns("z.test")]).toEqual([NO_NUMBER, "Undecided"]);
    await take({ ...(whole(9_000) as object), number: number(6) });
    expect([at.core.held, at.dns("z.test")]).toEqual([number(6), [two]]);
  });
});

describe("a whole delivery with the number that is held", () => {
  const other = (sentAt: number) => delivery(number(5), [host("x", two)], sentAt);

  it("is taken where it says something else: the edge was put back to an earlier time, and counts anew", async () => {
    expect(await take(other(9_000))).toEqual({ kind: "Applied", number: number(5), takesChanges: true });
    expect(dns()).toEqual([[two], [one]]);
    expect([...(at.core.namedByEdge ?? [])]).toEqual(["shop/x"]);
    await take(changes(number(5), number(6), [host("y", three)], [], 9_100));
    expect(dns()).toEqual([[two], [three]]);
  });

  it("changes nothing where it is a replay, or says the same", async () => {
    const { serial } = at.core.state;
    await take(other(1_005));
    await take(delivery(number(5), [host("x", one), host("y", one)], 9_000));
    expect(dns()).toEqual([[one], [one]]);
    expect(at.core.state.serial).toBe(serial);
    expect(await take(contact(number(5), 9_100))).toMatchObject({ takesChanges: true });
  });

  it("says the same where a view has brought newer times since", async () => {
    const { serial } = at.core.state;
    const record = host("x", one);
    const probes = record.probes.map((probe) => ({
      ...probe,
      consecutiveFailures: 1,
      regions: probe.regions.map((region) => ({ ...region, checkedAt: 9_000 })),
    }));
    await at.core.takeView({ version: 1, cluster: "here", number: number(5), records: [{ ...record, probes }] });
    await take(delivery(number(5), [record, host("y", one)], 9_000));
    expect(at.core.state.serial).toBe(serial);
    expect(at.core.state.hosts["x.test"]?.delivered?.probes[0]?.consecutiveFailures).toBe(1);
  });
});

describe("changes that are a replay", () => {
  it("put back nothing, and are no contact", async () => {
    const former = changes(number(5), number(6), [host("y", two)], [], 9_000);
    await take(former);
    await take(changes(number(6), number(7), [host("y", three)], [], 9_100));
    at.world.elapsedMs += 300_000;
    await at.core.tick();
    expect(await take(former)).toMatchObject({ number: number(7) });
    expect(dns()).toEqual([[...LEAVES], [...LEAVES]]);
    await take(contact(number(7), 9_200));
    expect(dns()).toEqual([[one], [three]]);
  });
});
