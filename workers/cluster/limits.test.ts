import { describe, expect, it } from "vitest";
import { decodeSnapshot, encodeSnapshot } from "../../shared/snapshot.ts";
import { MAX_WEIGHT, withinLimits } from "./limits.ts";
import { validateLines } from "./validate-lines.ts";

const REGIONS = ["wnam", "enam", "sam", "weur", "eeur", "apac", "oc", "afr", "me"] as const;

/** A record of so many endpoints of 100 addresses each, seen from nine regions. */
function record(name: string, endpoints: number) {
  const targets = Array.from({ length: 100 }, (_, n) => `203.0.113.${n}`);
  return {
    namespace: "shop",
    name,
    spec: {
      rootHost: `${name}.example.com`,
      endpoints: Array.from({ length: endpoints }, (_, n) => {
        return { dnsName: `n${n}.${name}.example.com`, recordType: "A" as const, targets };
      }),
      healthCheck: { protocol: "HTTP" as const, regions: [...REGIONS] },
    },
  };
}

const ALLOWED = { hosts: ["*.example.com"], ports: [{ from: 80, to: 80 }] };

function judgedOf(records: ReturnType<typeof record>[], held: readonly string[], maxLeaves: number) {
  const decoded = decodeSnapshot(encodeSnapshot({ clusterUid: "u", instance: "i" }, records));
  if (!decoded.ok) throw new Error("unreadable");
  return withinLimits(validateLines(decoded.lines, ALLOWED), maxLeaves, (key) => held.includes(key));
}

function acceptedOf(records: ReturnType<typeof record>[], held: readonly string[], maxLeaves = 10_000) {
  const lines = judgedOf(records, held, maxLeaves);
  return lines.map((line) => ("refused" in line ? `${line.key} ${line.refused.reason}` : line.key));
}

describe("what a cluster has watched", () => {
  it("may be 10,000 addresses from nine regions", () => {
    expect(acceptedOf([record("a", 100)], [])).toEqual(["shop/a"]);
  });

  it("is refused record by record beyond that, the later ones and by name; those held keep their places", () => {
    expect(100 * 100 * (REGIONS.length + 4) * 2).toBeGreaterThan(MAX_WEIGHT);
    const [first, second, small] = [record("a", 100), record("b", 100), record("c", 1)];
    expect(acceptedOf([first, second, small], [])).toEqual(["shop/a", "shop/b TooManyProbes", "shop/c"]);
    expect(acceptedOf([first, second, small], ["shop/b"])).toEqual(["shop/a TooManyProbes", "shop/b", "shop/c"]);
  });

  it("is at most so many leaves, an address that several endpoints of a record name counting once", () => {
    const [first, second, third] = [record("a", 2), record("b", 1), record("c", 1)];
    expect(acceptedOf([first, second, third], [], 200)).toEqual(["shop/a", "shop/b", "shop/c TooManyLeaves"]);
    expect(acceptedOf([first, second, third], ["shop/c"], 200)).toEqual(["shop/a", "shop/b TooManyLeaves", "shop/c"]);
    expect(judgedOf([first, second, third], [], 200)[2]).toMatchObject({
      refused: {
        message:
          "spec.endpoints: 100 leaves beside the 200 of other records must be at most 200 together, the edge's MAX_LEAVES_PER_CLUSTER",
      },
    });
  });
});

it("a port that the edge does not probe is refused by name, beside records that go on", () => {
  const mail = record("mail", 1);
  const odd = { ...mail, spec: { ...mail.spec, healthCheck: { ...mail.spec.healthCheck, port: 22 } } };
  const lines = judgedOf([odd, record("a", 1)], [], 10_000);
  expect(lines.map((line) => ("refused" in line ? line.refused : line.key))).toEqual([
    {
      type: "Accepted",
      status: "False",
      reason: "PortNotAllowed",
      message: "spec.healthCheck.port: 22 must be one of 80, which are the edge's ALLOWED_PORTS",
    },
    "shop/a",
  ]);
});
