import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Decisions, ShareInput } from "../../shared/model/messages/shares.ts";
import { type Bench, EDGE_STALE_AFTER, onBench, share } from "../../test/support/coordinator/bench.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { ClusterStore } from "../cluster/store.ts";
import { clusterOf, type Env } from "../env.ts";

const bindings = env as unknown as Env;
const HOUR = 3_600_000;
const FIRST = "203.0.113.1";
const SECOND = "203.0.113.2";

/** By name, the address of its record; the records have no health check, so that only edits change them. */
type Fleet = Record<string, string>;
const FOUR: Fleet = { a: FIRST, b: FIRST, c: FIRST, d: FIRST };

const sharesOf = (fleet: Fleet): ShareInput[] =>
  Object.entries(fleet).map(([name, target]) => {
    const rootHost = `${name}.example.com`;
    return share([], { name, check: null, spec: { rootHost, endpoints: [endpointOf(rootHost, target)] } });
  });
const endpointOf = (dnsName: string, target: string) => ({ dnsName, recordType: "A", targets: [target] });

/** A coordination, and what it hands over: `whole 1`, or `1→2 a -b` for a record that changed and one that is no more. */
class Handing {
  readonly bench: Bench;
  readonly log: string[] = [];
  #puts = 0;

  constructor(bench: Bench) {
    this.bench = bench;
    const { decided, decidedInPart } = bench.receiver;
    bench.receiver = {
      decided: (decisions) => {
        this.log.push(`${decisions.cluster === "east" ? "" : `${decisions.cluster} `}whole ${decisions.number.n}`);
        return decided(decisions);
      },
      decidedInPart: (changes) => {
        const names = changes.records.map(({ rootHost }) => rootHost.split(".")[0]);
        const gone = changes.removed.map((rootHost) => `-${rootHost.split(".")[0]}`);
        this.log.push([`${changes.since.n}→${changes.number.n}`, ...names, ...gone].join(" "));
        return decidedInPart(changes);
      },
    };
  }

  /** The cluster has these records from now on; the answer, which has all decisions, is lost. */
  put(fleet: Fleet, cluster = "east", epoch = this.bench.now): void {
    this.#puts += 1;
    const number = { epoch, n: this.#puts };
    this.bench.coordination.putShares({ version: 1, cluster, number, shares: sharesOf(fleet) });
  }

  async hand(fleet: Fleet, cluster = "east"): Promise<void> {
    this.put(fleet, cluster);
    await this.bench.settle();
  }

  contact(decisionsNumber = { epoch: 0, n: 0 }): Decisions | undefined {
    const sharesNumber = { epoch: this.bench.now, n: this.#puts };
    return this.bench.coordination.contact({ cluster: "east", sharesNumber, decisionsNumber }).decisions;
  }

  /** What the cluster holds is what it would be given whole. */
  expectAll(): void {
    expect(this.bench.delivered.get("east")).toEqual(this.contact());
  }
}

const onFour = (story: (handing: Handing) => Promise<void>) =>
  onBench(async (bench) => {
    const handing = new Handing(bench);
    await handing.hand(FOUR);
    expect(handing.log.splice(0)).toEqual(["whole 1"]);
    await story(handing);
  });

beforeEach(() => {
  vi.spyOn(console, "warn").mockReturnValue();
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe("what a cluster is handed", () => {
  it("is what has changed: records that are other, that are new, and that are no more", async () => {
    await onFour(async (handing) => {
      await handing.hand({ ...FOUR, a: SECOND });
      const { d: _, ...withoutD } = FOUR;
      await handing.hand({ ...withoutD, a: SECOND, e: FIRST });
      expect(handing.log).toEqual(["1→2 a", "2→3 e -d"]);
      handing.expectAll();
    });
  });

  it("is a record that only another cluster's share has changed, and not the others", async () => {
    await onFour(async (handing) => {
      await handing.hand({ b: SECOND, z: FIRST }, "west");
      await handing.hand({ z: FIRST }, "west");
      expect(handing.log.filter((line) => !line.startsWith("west"))).toEqual(["1→2 b", "2→3 b"]);
      handing.expectAll();
    });
  });

  it("is everything where most of it has changed", async () => {
    await onFour(async (handing) => {
      await handing.hand({ ...FOUR, a: SECOND, b: SECOND, c: SECOND });
      await handing.hand({ ...FOUR, b: SECOND, c: SECOND });
      expect(handing.log).toEqual(["whole 2", "2→3 a"]);
      handing.expectAll();
    });
  });

  it("is everything, at once, where it does not have what the changes stand on", async () => {
    await onFour(async (handing) => {
      handing.bench.delivered.clear();
      await handing.hand({ ...FOUR, a: SECOND });
      await handing.hand({ ...FOUR, a: SECOND, b: SECOND });
      expect(handing.log).toEqual(["1→2 a", "whole 2", "2→3 b"]);
      handing.expectAll();
    });
  });

  it("is everything after a start of the coordinator", async () => {
    await onFour(async (handing) => {
      handing.bench.restart();
      await handing.bench.settle();
      await handing.hand({ ...FOUR, a: SECOND });
      await handing.hand(FOUR);
      expect(handing.log).toEqual(["whole 2", "2→3 a"]);
    });
  });

  it("is everything after a start between a decision and its hand-over", async () => {
    await onFour(async (handing) => {
      handing.put({ ...FOUR, a: SECOND });
      handing.bench.restart();
      handing.bench.coordination.heartbeat();
      await handing.bench.settle();
      expect(handing.log).toEqual(["whole 2"]);
      handing.expectAll();
    });
  });

  it("stands on nothing that went another way: whether the answer to its shares was taken nobody knows", async () => {
    await onBench(async (bench) => {
      const handing = new Handing(bench);
      bench.put("east", 1, sharesOf(FOUR), bench.now - 1);
      await bench.settle();
      for (const a of [SECOND, FIRST]) await handing.hand({ ...FOUR, a });
      bench.take(handing.contact());
      for (const a of [SECOND, FIRST]) await handing.hand({ ...FOUR, a });
      expect(handing.log).toEqual(["whole 1", "whole 2", "2→3 a", "3→4 a", "4→5 a"]);
      handing.expectAll();
    });
  });

  it("takes away also a record that came another way: by the answer to its shares, by one that is late, or while one is under way", async () => {
    const withE = { ...FOUR, e: FIRST };
    await onFour(async (handing) => {
      handing.put(withE);
      handing.bench.take(handing.contact());
      await handing.bench.settle();
      await handing.hand(FOUR);
      expect(handing.log).toEqual(["1→2 e", "1→3 -e"]);
      handing.expectAll();
    });
    await onFour(async (handing) => {
      handing.put(withE);
      const late = handing.contact();
      handing.put(FOUR);
      handing.bench.take(late);
      await handing.bench.settle();
      expect(handing.log).toEqual(["1→3 -e"]);
      handing.expectAll();
    });
    await onFour(async (handing) => {
      const { receiver } = handing.bench;
      handing.bench.receiver = {
        ...receiver,
        decidedInPart: (changes) => {
          handing.bench.receiver = receiver;
          const answer = receiver.decidedInPart(changes);
          handing.put({ ...withE, a: SECOND });
          handing.bench.take(handing.contact());
          handing.put({ ...FOUR, a: SECOND });
          return answer;
        },
      };
      await handing.hand({ ...FOUR, a: SECOND });
      expect(handing.log).toEqual(["1→2 a", "2→4 -e"]);
      handing.expectAll();
    });
  });

  it("has in the next hand-over what changes while one is under way", async () => {
    await onFour(async (handing) => {
      const { receiver } = handing.bench;
      let isFirst = true;
      handing.bench.receiver = {
        ...receiver,
        decidedInPart: (changes) => {
          if (isFirst) handing.put({ ...FOUR, a: SECOND, b: SECOND });
          isFirst = false;
          return receiver.decidedInPart(changes);
        },
      };
      await handing.hand({ ...FOUR, a: SECOND });
      expect(handing.log).toEqual(["1→2 a", "2→3 b"]);
      handing.expectAll();
    });
  });

  it("is everything where an answer was lost, and where one says that it was there already", async () => {
    await onFour(async (handing) => {
      const { carry } = handing.bench;
      handing.bench.carry = (deliver) => {
        handing.bench.carry = carry;
        deliver();
        throw new Error("Network connection lost.");
      };
      await handing.hand({ ...FOUR, a: SECOND });
      await handing.hand({ ...FOUR, b: SECOND });
      await handing.hand(FOUR);
      expect(handing.log).toEqual(["1→2 a", "whole 2", "whole 3", "3→4 b"]);
      handing.expectAll();
    });
  });

  it("is nothing while an edge without memory waits, and everything after that", async () => {
    await onFour(async (handing) => {
      expect(handing.contact({ epoch: handing.bench.now + HOUR, n: 3 })).toBeUndefined();
      await handing.hand({ ...FOUR, a: SECOND });
      handing.bench.coordination.heartbeat();
      await handing.bench.settle();
      expect(handing.log).toEqual([]);
      handing.bench.now += EDGE_STALE_AFTER;
      handing.bench.coordination.heartbeat();
      await handing.bench.settle();
      expect(handing.log).toEqual(["whole 3"]);
      handing.expectAll();
    });
  });

  it("is everything to a cluster that holds a number above, whoever gave it that", async () => {
    await onFour(async (handing) => {
      expect(handing.contact({ epoch: handing.bench.now, n: 50 })?.number.n).toBe(51);
      await handing.bench.settle();
      await handing.hand({ ...FOUR, a: SECOND });
      expect(handing.log).toEqual(["whole 51", "51→52 a"]);
    });
  });

  it("is everything to a cluster that was removed and registered again", async () => {
    await onFour(async (handing) => {
      const { bench } = handing;
      bench.coordination.removeCluster("east", bench.now);
      bench.delivered.delete("east");
      bench.now += 1;
      bench.coordination.registerCluster("east");
      await handing.hand({ ...FOUR, a: SECOND });
      await handing.hand(FOUR);
      expect(handing.log).toEqual(["whole 2", "2→3 a"]);
      handing.expectAll();
    });
  });
});

describe("the object of a cluster", () => {
  it.each([
    ["that knows changes takes them", [], ["whole 1", "1→2 a", "2→3 b"]],
    [
      "of an earlier release is handed everything",
      ["decidedInPart"],
      ["whole 1", "1→2 a", "whole 2", "2→3 b", "whole 3"],
    ],
  ])("%s", async (what, unknown, log) => {
    const name = what.replaceAll(" ", "-");
    const stub = bindings.CLUSTER.getByName(name) as DurableObjectStub<Cluster>;
    await clusterOf(bindings, name).register({ cluster: name, hosts: ["*.example.com"] });
    await runInDurableObject(stub, (object) => {
      for (const method of unknown) Object.defineProperty(object, method, { value: undefined });
    });
    await onBench(async (bench) => {
      bench.receiver = {
        decided: (decisions) => clusterOf(bindings, name).decided(decisions),
        decidedInPart: (changes) => clusterOf(bindings, name).decidedInPart(changes),
      };
      const handing = new Handing(bench);
      await handing.hand(FOUR);
      await handing.hand({ ...FOUR, a: SECOND });
      await handing.hand({ ...FOUR, a: SECOND, b: SECOND });
      expect(handing.log).toEqual(log);
    });
    const records = await runInDurableObject(stub, (_, { storage }) => ClusterStore.open(storage, 1)?.decisions.all());
    expect(records?.map(({ endpoints }) => endpoints[0]?.targets[0])).toEqual([SECOND, SECOND, FIRST, FIRST]);
  });
});
