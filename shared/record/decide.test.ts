import { describe, expect, it } from "vitest";
import { health, lines, plain, weighted } from "../../test/support/rules.ts";
import type { Endpoint } from "../model/endpoint.ts";
import type { MinPublished } from "../model/record.ts";
import type { Verdict } from "../model/status.ts";
import { decide } from "./decide.ts";
import type { LeafHealth } from "./leaf-health.ts";

const [a, b, c, d] = ["203.0.113.1", "203.0.113.2", "203.0.113.3", "203.0.113.4"];
const [six, seven] = ["2001:db8::6", "2001:db8::7"];

type More = { was?: readonly Endpoint[]; minPublished?: MinPublished; health?: Record<string, Partial<LeafHealth>> };

function publish(endpoints: readonly Endpoint[], verdicts: Record<string, Verdict>, more: More = {}) {
  return decide({
    endpoints,
    minPublished: more.minPublished ?? 1,
    leaves: health(verdicts, more.health),
    wasPublished: more.was ?? endpoints,
  });
}

describe("seed rules", () => {
  const record = [plain("api.example.com", "A", a, b, c)];

  it("an unhealthy IP leaves when other leaves remain", () => {
    const decision = publish(record, { [a]: "Healthy", [b]: "Unhealthy", [c]: "Healthy" });
    expect(decision.endpoints).toEqual([plain("api.example.com", "A", a, c)]);
    expect(decision.leaves).toContainEqual({ leaf: b, published: false, reason: "UnhealthyWithheld" });
  });

  it("the only leaf stays", () => {
    const alone = [plain("api.example.com", "A", a)];
    const decision = publish(alone, { [a]: "Unhealthy" });
    expect(decision.endpoints).toEqual(alone);
    expect(decision.leaves).toEqual([{ leaf: a, published: true, reason: "KeptLast" }]);
  });

  it("the same for a CNAME leaf", () => {
    const alone = [plain("api.example.com", "CNAME", "lb.cloud.example")];
    expect(publish(alone, { "lb.cloud.example": "Unhealthy" }).endpoints).toEqual(alone);
  });

  it("an unhealthy leaf that was never published is not published", () => {
    const was = [plain("api.example.com", "A", a)];
    const decision = publish(record, { [a]: "Unhealthy", [b]: "Unhealthy", [c]: "Pending" }, { was });
    expect(decision.published).toEqual([a]);
  });

  it("a dead branch goes with its leaf", () => {
    const branches = [
      weighted(100, "api.example.com", "CNAME", "eu.api.example.com"),
      weighted(100, "api.example.com", "CNAME", "us.api.example.com"),
      plain("eu.api.example.com", "A", a),
      plain("us.api.example.com", "A", b),
    ];
    const decision = publish(branches, { [a]: "Unhealthy", [b]: "Healthy" });
    expect(lines(decision.endpoints)).toEqual([
      "api.example.com CNAME [us.api.example.com] → us.api.example.com",
      `us.api.example.com A → ${b}`,
    ]);
  });

  it("a probe that stopped updating counts as healthy", () => {
    expect(publish(record, { [a]: "Unknown", [b]: "Healthy", [c]: "Healthy" }).published).toEqual([a, b, c]);
  });
});

describe("the last endpoint is judged on the whole record", () => {
  const four = [plain("x.test", "A", a, b, c, d)];

  it("they fall one after the other: the last to fall survives, and the first to recover replaces it", () => {
    const story: [string, Record<string, Verdict>, string[]][] = [
      ["one is unhealthy", { [a]: "Unhealthy", [b]: "Healthy", [c]: "Healthy", [d]: "Healthy" }, [b, c, d]],
      ["three are", { [a]: "Unhealthy", [b]: "Unhealthy", [c]: "Unhealthy", [d]: "Healthy" }, [d]],
      ["all are: the survivor stays", { [a]: "Unhealthy", [b]: "Unhealthy", [c]: "Unhealthy", [d]: "Unhealthy" }, [d]],
      ["one recovers", { [a]: "Unhealthy", [b]: "Healthy", [c]: "Unhealthy", [d]: "Unhealthy" }, [b]],
      ["all recover", { [a]: "Healthy", [b]: "Healthy", [c]: "Healthy", [d]: "Healthy" }, [a, b, c, d]],
    ];
    let was: Endpoint[] = four;
    for (const [event, verdicts, published] of story) {
      const decision = publish(four, verdicts, { was });
      expect(decision.published, event).toEqual(published);
      was = decision.endpoints;
    }
  });

  it("all fall at once: all stay", () => {
    const verdicts = { [a]: "Unhealthy", [b]: "Unhealthy", [c]: "Unhealthy", [d]: "Unhealthy" } as const;
    expect(publish(four, verdicts).published).toEqual([a, b, c, d]);
  });

  it("the published one leaves the record: what is left is published, however it fares", () => {
    const edited = [plain("x.test", "A", c, d)];
    const decision = publish(edited, { [c]: "Unhealthy", [d]: "Pending" }, { was: [plain("x.test", "A", a)] });
    expect(decision.published).toEqual([c, d]);
  });

  it("a new record waits for its first leaf in order, and takes an Unknown one", () => {
    expect(
      publish(four, { [a]: "Pending", [b]: "Unhealthy", [c]: "Pending", [d]: "Pending" }, { was: [] }).endpoints,
    ).toEqual([]);
    expect(
      publish(four, { [a]: "Pending", [b]: "Healthy", [c]: "Pending", [d]: "Pending" }, { was: [] }).published,
    ).toEqual([b]);
    expect(
      publish(four, { [a]: "Unknown", [b]: "Pending", [c]: "Pending", [d]: "Pending" }, { was: [] }).published,
    ).toEqual([a]);
  });
});

describe("minPublished", () => {
  const four = [plain("x.test", "A", a, b, c, d)];

  it("the least bad published one stays to make it up", () => {
    const verdicts = { [a]: "Healthy", [b]: "Unhealthy", [c]: "Unhealthy", [d]: "Unhealthy" } as const;
    const decision = publish(four, verdicts, { minPublished: 2, health: { [c]: { unhealthyRegions: 2 } } });
    expect(decision.published).toEqual([a, c]);
    expect(decision.leaves).toContainEqual({ leaf: c, published: true, reason: "KeptForMinPublished" });
  });

  it("a percentage is of the leaves, rounded up", () => {
    const verdicts = { [a]: "Healthy", [b]: "Unhealthy", [c]: "Unhealthy", [d]: "Unhealthy" } as const;
    expect(publish(four, verdicts, { minPublished: "51%" }).published).toEqual([a, b, c]);
  });

  it("raised while leaves are withheld, it brings proven ones back", () => {
    const verdicts = { [a]: "Healthy", [b]: "Unhealthy", [c]: "Unhealthy", [d]: "Unhealthy" } as const;
    const was = [plain("x.test", "A", a)];
    const decision = publish(four, verdicts, { minPublished: 2, was, health: { [b]: { proven: false } } });
    expect(decision.published).toEqual([a, c]);
    expect(decision.leaves).toContainEqual({ leaf: c, published: true, reason: "KeptForMinPublished" });
  });
});

describe("families", () => {
  const stacked = [plain("x.test", "A", a, b), plain("x.test", "AAAA", six)];
  const behind = [
    plain("x.test", "CNAME", "lb.x.test"),
    plain("lb.x.test", "A", a, b),
    plain("lb.x.test", "AAAA", six, seven),
  ];

  it("A in order and AAAA dead: only AAAA is withdrawn", () => {
    expect(publish(stacked, { [a]: "Healthy", [b]: "Healthy", [six]: "Unhealthy" }).published).toEqual([a, b]);
  });

  it("two bad addresses of a dual-stack name: the third answers", () => {
    expect(publish(stacked, { [a]: "Unhealthy", [b]: "Unhealthy", [six]: "Healthy" }).published).toEqual([six]);
  });

  it("behind a CNAME the name keeps its least bad address of the dead family", () => {
    const verdicts = { [a]: "Healthy", [b]: "Healthy", [six]: "Unhealthy", [seven]: "Unhealthy" } as const;
    const decision = publish(behind, verdicts, { health: { [seven]: { unhealthyRegions: 2 } } });
    expect(decision.published).toEqual([seven, a, b]);
    expect(decision.leaves).toContainEqual({ leaf: seven, published: true, reason: "KeptForFamily" });
  });

  it("but not one that was never published", () => {
    const was = [plain("x.test", "CNAME", "lb.x.test"), plain("lb.x.test", "A", a)];
    const verdicts = { [a]: "Healthy", [b]: "Healthy", [six]: "Unhealthy", [seven]: "Pending" } as const;
    expect(publish(behind, verdicts, { was }).published).toEqual([a, b]);
  });

  it("and not where the whole name goes", () => {
    const two = [
      weighted(1, "x.test", "CNAME", "one.x.test"),
      weighted(1, "x.test", "CNAME", "two.x.test"),
      plain("one.x.test", "A", a),
      plain("one.x.test", "AAAA", six),
      plain("two.x.test", "A", b),
    ];
    expect(publish(two, { [a]: "Unhealthy", [six]: "Unhealthy", [b]: "Healthy" }).published).toEqual([b]);
  });
});

describe("leaves behind weight 0", () => {
  const idle = [weighted(100, "x.test", "A", a), weighted(0, "x.test", "A", b)];

  it("count: the other one may leave, and they answer", () => {
    expect(publish(idle, { [a]: "Unhealthy", [b]: "Healthy" }).published).toEqual([b]);
  });

  it("are withdrawn like others", () => {
    expect(publish(idle, { [a]: "Healthy", [b]: "Unhealthy" }).published).toEqual([a]);
  });
});

describe("roots of one record", () => {
  const two = [plain("a.x.test", "A", a, b), plain("b.x.test", "A", a)];

  it("each is judged for itself: a leaf that is one root's last leaves the other", () => {
    const decision = publish(two, { [a]: "Unhealthy", [b]: "Healthy" });
    expect(lines(decision.endpoints)).toEqual([`a.x.test A → ${b}`, `b.x.test A → ${a}`]);
    expect(decision.leaves).toEqual([
      { leaf: a, published: true, reason: "KeptLast" },
      { leaf: b, published: true, reason: "Healthy" },
    ]);
  });

  it("a name of its own beside them gets no unhealthy leaf that it never had", () => {
    const more = [...two, plain("c.x.test", "A", c)];
    const decision = publish(more, { [a]: "Healthy", [b]: "Healthy", [c]: "Unhealthy" }, { was: two });
    expect(decision.published).toEqual([a, b]);
  });

  it("a leaf that comes back through a shared name is settled in the same decision", () => {
    const shared = [
      plain("a.x.test", "CNAME", "s.x.test"),
      plain("b.x.test", "CNAME", "s.x.test"),
      plain("s.x.test", "A", a, b, c),
    ];
    const verdicts = { [a]: "Healthy", [b]: "Unhealthy", [c]: "Unhealthy" } as const;
    const first = publish(shared, verdicts, { minPublished: 2 });
    expect(publish(shared, verdicts, { minPublished: 2, was: first.endpoints })).toEqual(first);
  });
});

describe("leaves without a health check", () => {
  it("are published and do not count", () => {
    const mixed = [plain("x.test", "A", a, b, c)];
    const decision = publish(mixed, { [b]: "Unhealthy", [c]: "Healthy" }, { was: [] });
    expect(decision.published).toEqual([a, c]);
    expect(decision.leaves[0]).toEqual({ leaf: a, published: true, reason: "NotProbed" });
  });

  it("turning the check off restores what was withdrawn", () => {
    const record = [plain("x.test", "A", a, b)];
    expect(publish(record, {}, { was: [plain("x.test", "A", a)] }).published).toEqual([a, b]);
  });

  it("a wildcard host is published as it is", () => {
    const wild = [plain("*.x.test", "A", a, b)];
    expect(publish(wild, {}, { was: [] }).endpoints).toEqual(wild);
  });
});

it("refuses what is no record, in words", () => {
  expect(() => publish([], {})).toThrow("not a record: endpoints: must hold at least one endpoint");
});

it("targets [a,b,c], b unhealthy: [a,c], and five passes later still; b recovers: [a,b,c]; the input stays as it was", () => {
  const record = [plain("x.test", "A", c, a, b, a)];
  const before = structuredClone(record);
  let was: Endpoint[] = record;
  for (let pass = 0; pass < 5; pass += 1) {
    was = publish(record, { [a]: "Healthy", [b]: "Unhealthy", [c]: "Healthy" }, { was }).endpoints;
    expect(lines(was)).toEqual([`x.test A → ${a} ${c}`]);
  }
  const healed = publish(record, { [a]: "Healthy", [b]: "Healthy", [c]: "Healthy" }, { was });
  expect(lines(healed.endpoints)).toEqual([`x.test A → ${a} ${b} ${c}`]);
  expect(record).toEqual(before);
});
