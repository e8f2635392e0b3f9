import { describe, expect, it, vi } from "vitest";
import { saturate } from "../../shared/health/count.ts";
import type { Report } from "../../shared/model/messages/report.ts";
import type { ShareInput } from "../../shared/model/messages/shares.ts";
import type { Region } from "../../shared/model/region.ts";
import { source, startController } from "../../test/support/agent/core.ts";
import { delivery } from "../../test/support/agent/delivered.ts";
import { Bench, onBench, REGIONS_3, SECOND, share } from "../../test/support/coordinator/bench.ts";
import { random } from "../../test/support/random.ts";

const A = "203.0.113.10";
const B = "203.0.113.20";
const C = "203.0.113.30";
const LEAVES = [A, B, C];
const HOST = "api.example.com";
const CLUSTER = "here";
const REGIONS: readonly Region[] = [...REGIONS_3, "sam"];

/** A wire between any two parts: what it is given it delivers, loses, delivers twice, delivers without an answer, or keeps. */
class Wire {
  readonly #next: () => number;
  #kept: (() => unknown)[] = [];
  #isCalm: boolean;
  readonly did = { delivered: 0, lost: 0, unanswered: 0, doubled: 0, late: 0 };

  constructor(seed: number, isCalm: boolean) {
    this.#next = random(seed);
    this.#isCalm = isCalm;
  }

  chance(share: number): boolean {
    return !this.#isCalm && this.#next() < share;
  }

  carry<Answer>(deliver: () => Answer): Answer {
    const dice = this.#isCalm ? 1 : this.#next();
    if (dice < 0.15) return this.#cut("lost");
    if (dice < 0.35) {
      this.#kept.push(deliver);
      return this.#cut("late");
    }
    const answer = deliver();
    if (dice < 0.5) return this.#cut("unanswered");
    this.did.delivered += 1;
    if (dice >= 0.65) return answer;
    this.did.doubled += 1;
    return deliver();
  }

  /** Some of the kept messages arrive, in any order, and some arrive again. */
  async someLate(): Promise<void> {
    for (const deliver of [...this.#kept].sort(() => this.#next() - 0.5)) {
      if (this.#next() < 0.4) await deliver();
      if (this.#next() < 0.3) this.#kept = this.#kept.filter((other) => other !== deliver);
    }
  }

  /** From here on messages come as they are sent; what is old still comes among them. */
  calm(): void {
    this.#isCalm = true;
  }

  #cut(how: "lost" | "late" | "unanswered"): never {
    this.did[how] += 1;
    throw new Error("Network connection lost.");
  }
}

/** Edits by a person meanwhile; the last one wins. */
const EDITS: ShareInput[] = [
  share([A, B]),
  share([A, B, C], { check: { failureThreshold: 1 } }),
  share([B, C]),
  share([A, B, C], { check: { regions: [...REGIONS], path: "/other" } }),
  share([A, B, C], { check: { failureThreshold: 2, regions: [...REGIONS_3] } }),
];

/** The coordinator with its probers, a cluster and its agent, all of whose messages go over one wire. */
class Way {
  readonly bench: Bench;
  readonly wire: Wire;
  readonly agent = startController();
  #edits = 0;

  constructor(bench: Bench, wire: Wire) {
    this.bench = bench;
    this.wire = wire;
    bench.carry = (deliver) => wire.carry(deliver);
    bench.coordination.registerCluster(CLUSTER);
  }

  #send(deliver: () => unknown): void {
    try {
      this.wire.carry(deliver);
    } catch {
      // The next message corrects it, which this test shows.
    }
  }

  /** The cluster has other records now, and says so. */
  edit(): void {
    this.#edits = Math.min(this.#edits + 1, EDITS.length);
    this.#putShares();
  }

  #putShares(): void {
    const n = this.#edits;
    const input = { version: 1 as const, cluster: CLUSTER, number: { epoch: 1, n }, shares: EDITS.slice(n - 1, n) };
    this.#send(() => {
      const receipt = this.bench.coordination.putShares(structuredClone(input));
      this.#send(() => this.bench.take(receipt.decisions));
    });
  }

  /** One round of all regions, and whatever follows from it. */
  async round(): Promise<void> {
    this.bench.now += 10 * SECOND;
    for (const report of this.bench.probers.round(REGIONS)) this.#report(report);
    await this.bench.settle();
    await this.#deliver();
  }

  #report(report: Report): void {
    this.#send(() => {
      const { assignment } = this.bench.coordination.report(structuredClone(report));
      if (assignment !== undefined) this.#send(() => this.bench.probers.assign(assignment));
    });
  }

  /** What the cluster's object does each minute, and cron. */
  async minute(): Promise<void> {
    const decisionsNumber = this.bench.delivered.get(CLUSTER)?.number ?? { epoch: 0, n: 0 };
    const word = { cluster: CLUSTER, sharesNumber: { epoch: 1, n: this.#edits }, decisionsNumber };
    this.#send(() => {
      const { sharesWanted, decisions } = this.bench.coordination.contact(word);
      this.#send(() => this.bench.take(decisions));
      if (sharesWanted) this.#putShares();
    });
    this.bench.coordination.heartbeat();
    await this.bench.settle();
    await this.#deliver();
  }

  /** The cluster's object sends the newest that it has; the agent is the real one. */
  async #deliver(): Promise<void> {
    const held = this.bench.delivered.get(CLUSTER);
    if (held === undefined) return;
    const message = structuredClone(delivery(held.number, held.records, this.bench.now));
    const sent: Promise<unknown>[] = [];
    this.#send(() => sent.push(this.agent.core.takeDelivery(message)));
    await Promise.all(sent);
  }

  endState(): unknown {
    const { bench, agent } = this;
    const probers = [...bench.probers.probers.values()].filter(({ assignment }) => assignment.probes.length > 0);
    const probes = LEAVES.map((leaf) => bench.coordination.readProbe(`${CLUSTER}/shop/api/${leaf}`));
    const decided = bench.delivered.get(CLUSTER);
    return {
      verdicts: probes.map((probe) => probe?.verdict),
      words: probes.map((probe) =>
        probe?.regions.map(({ region, freshness, counts }) => [region, freshness, saturate(counts, probe)]),
      ),
      assigned: probers
        .map(({ assignment: { shard, probes } }) => ({
          region: shard.region,
          probes: probes.map(({ carried: _, ...probe }) => probe),
        }))
        .sort((a, b) => (a.region < b.region ? -1 : 1)),
      decided: decided?.records.map(({ endpoints, leaves, shares }) => ({ endpoints, leaves, shares })),
      dns: agent.dns(HOST),
      isAcknowledged: agent.world.stored.number.n === decided?.number.n,
    };
  }
}

/** Five edits, twelve rounds in which A and C do as the seed has it, and the calm after that. */
async function play(way: Way, seed: number): Promise<unknown> {
  const { bench, wire, agent } = way;
  const outcomes = random(seed);
  await agent.core.takeSource(source({ name: "api", host: HOST, targets: LEAVES }));
  for (let round = 0; round < 15; round += 1) {
    if (round % 3 === 0) way.edit();
    const bad = new Set(REGIONS.filter(() => outcomes() < 0.5));
    const flapping = outcomes() < 0.5 ? A : C;
    bench.probers.outcome = (leaf, region) => (leaf === flapping && bad.has(region) ? "ConnectFailed" : "Ok");
    await way.round();
    await wire.someLate();
    if (round % 6 === 5) await way.minute();
    if (wire.chance(0.15)) bench.restart();
  }
  wire.calm();
  bench.probers.outcome = (leaf) => (leaf === A && seed % 2 === 0 ? "ConnectFailed" : "Ok");
  for (let round = 0; round < 10; round += 1) {
    if (round % 5 === 0) await way.minute();
    await way.round();
    await wire.someLate();
  }
  await way.minute();
  return way.endState();
}

describe("shares, assignments, reports, decisions and deliveries in any order, lost, late and repeated", () => {
  it("end in the state of the clean order, 200 seeds", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const did = { delivered: 0, lost: 0, unanswered: 0, doubled: 0, late: 0 };
    const ends = new Set<string>();
    await onBench(async (_, storage) => {
      for (let seed = 0; seed < 200; seed += 1) {
        await storage.deleteAll();
        const clean = await play(new Way(new Bench(storage), new Wire(seed, true)), seed);
        await storage.deleteAll();
        const wire = new Wire(seed + 1_000_000, false);
        expect(await play(new Way(new Bench(storage), wire), seed), `seed ${seed}`).toEqual(clean);
        ends.add(JSON.stringify(clean));
        for (const how of Object.keys(did) as (keyof typeof did)[]) did[how] += wire.did[how];
      }
    });
    warn.mockRestore();
    // Withdrawn and not: an order that everything survives because nothing happens in it would be none.
    expect(ends.size).toBe(2);
    for (const count of Object.values(did)) expect(count).toBeGreaterThan(200);
  }, 120_000);
});
