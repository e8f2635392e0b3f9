import { describe, expect, it } from "vitest";
import { decodeSnapshot, encodeSnapshot } from "../../shared/snapshot.ts";
import { judgeLines } from "./judge.ts";
import { MAX_WEIGHT, withinLimits } from "./limits.ts";

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

function acceptedOf(records: ReturnType<typeof record>[], held: readonly string[]): string[] {
  const decoded = decodeSnapshot(encodeSnapshot({ clusterUid: "u", instance: "i" }, records));
  if (!decoded.ok) throw new Error("unreadable");
  const lines = withinLimits(judgeLines(decoded.lines, ["*.example.com"]), (key) => held.includes(key));
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
});
